type ListCount = {
  readonly found: number
  /** How many there are without filters. */
  readonly total: number
  readonly isActive: boolean
  /** Whether there may be more with these filters. */
  readonly more: boolean
}

export const strings = {
  title: 'Sessions',
  views: { threeDs: '3D Secure', sessions: 'Sessions', intents: 'Token intents' },
  by: 'Created by',
  created: 'Created',
  id: 'ID',
  json: 'JSON',
  history: 'History',
  gone: 'No longer there',
  over: 'expired',
  keyHint: '<key of a private application>',
  filters: {
    application: 'Application',
    more: 'Show 200 more',
    /** For example `The newest 200 of 1,204 sessions` or `3 of 1,204 sessions`. */
    count([one, many]: readonly [one: string, many: string], { found, total, isActive, more }: ListCount) {
      const all = `${total.toLocaleString('en')} ${total === 1 ? one : many}`
      if (more)
        return `The newest ${found.toLocaleString('en')} of ${isActive ? 'those that match, of ' : ''}${all}`
      return isActive ? `${found.toLocaleString('en')} of ${all}` : all
    },
  },
  threeDs: {
    grid: '3D Secure sessions',
    one: '3D Secure session',
    many: '3D Secure sessions',
    words: 'Filter by state, card, merchant or application',
    searched: 'Nothing in this list meets all of these filters.',
    footer: 'Newest first. A session is kept for 24 hours.',
    state: 'State',
    states: { waiting: 'Challenge', new: 'Not authenticated', passed: 'Passed', refused: 'Refused' },
    statuses: {
      successful: 'Successful',
      attempted: 'Attempted',
      failed: 'Failed',
      unavailable: 'Unavailable',
      challenge: 'Challenge',
      decoupled_challenge: 'Asked elsewhere',
      rejected: 'Rejected',
      informational: 'Informational',
    },
    columns: { card: 'Card', state: 'State', left: 'Time left', amount: 'Amount', merchant: 'Merchant' },
    decisions: {
      pass: 'Succeed',
      fail: 'Fail',
      cancel: 'Cancel',
      timeout: 'Time out',
      done: (status: string) => `The challenge ended: ${status}`,
      help: 'Decides the challenge as its page would. Webhooks get the same events, and only the first answer counts.',
      passesAs: (status: string) =>
        `The card of this session decides: it ends as ${status}, even if the cardholder succeeds.`,
    },
    drawer: {
      label: '3D Secure session',
      gone: 'This session does not exist. A session is deleted 24 hours after it was created.',
      session: 'Session',
      answerIn: 'Answer within',
      expiresIn: 'Expires in',
      type: 'Type',
      types: (type: string, device: string | undefined) =>
        type === 'merchant' ? 'Merchant, without a cardholder' : `Customer${device ? `, ${device}` : ''}`,
      challenge: 'Challenge',
      challenges: {
        static: 'On a page of the bank',
        dynamic: 'On a page of the bank',
        'out-of-band': 'In the app of the bank',
        decoupled: 'By the bank, without the page',
      },
      reason: 'Reason',
      token: 'Token',
      intent: 'Token intent',
    },
    messages: {
      title: 'Messages',
      source: 'From the log. Values that a message carried are not in it.',
      newest: 'The newest 100 messages in the log.',
      timedOut: 'The time for the answer ran out',
      parties: { page: 'Page', server: 'Server', vault: 'Coffer', bank: 'Bank', owner: 'You' },
      actions: {
        'threeDs.create': 'Start a session',
        'threeDs.get': 'Read the session',
        'threeDs.authenticate': 'Authenticate',
        'threeDs.completeMethod': 'Check of the browser',
        'threeDs.showChallenge': 'Open the challenge',
        'threeDs.answerChallenge': 'Answer the challenge',
        'threeDs.showRedirect': 'Open the redirect page',
        'threeDs.authenticateRedirect': 'Authenticate',
        'threeDs.getChallengeResult': 'Ask for the result',
        'threeDs.decide': 'Decide the challenge',
      },
      choices: { pass: 'Succeeded', fail: 'Failed', cancel: 'Canceled' },
      answered: (status: string) => `→ ${status}`,
      chose: (choice: string, status: string) =>
        choice === status ? `→ ${status}` : `${choice} → ${status}`,
    },
    empty: {
      title: 'No 3D Secure sessions',
      text: 'A session authenticates the card of a token or a token intent. The test card decides whether there is a challenge, and you can decide it here.',
    },
  },
  sessions: {
    grid: 'Sessions',
    one: 'session',
    many: 'sessions',
    words: 'Filter by state, application or ID',
    searched: 'Nothing in this list meets all of these filters.',
    footer: 'Newest first. Expired sessions are deleted.',
    state: 'State',
    states: { waiting: 'Not authorized', authorized: 'Authorized' },
    columns: {
      startedBy: 'Started by',
      authorizedBy: 'Authorized by',
      state: 'State',
      left: 'Time left',
      may: 'What it may do',
    },
    describeGrants: ({ permissions, rules }: { permissions: readonly string[]; rules: readonly unknown[] }) =>
      [
        permissions.join(', '),
        rules.length > 0 ? `${rules.length} ${rules.length === 1 ? 'rule' : 'rules'}` : '',
      ]
        .filter((each) => each !== '')
        .join('; '),
    remove: {
      title: 'End this session?',
      text: 'Its key is refused from then on. The page has to start another session.',
      action: 'End session',
      done: () => 'The session has ended',
    },
    drawer: {
      label: 'Session',
      gone: 'This session was ended, or it has expired.',
      session: 'Session',
      mayNothing: 'Nothing until a private application authorizes it with its nonce.',
      calls: 'Its requests',
      showCalls: 'Show in Requests',
    },
    empty: {
      title: 'No sessions',
      text: 'A page starts a session with a public key. Once a private application authorizes it, the page may for some minutes do what that application allows.',
      keyHint: '<key of a public application>',
    },
  },
  intents: {
    grid: 'Token intents',
    one: 'token intent',
    many: 'token intents',
    words: 'Filter by type, card or application',
    searched: 'Nothing in this list meets all of these filters.',
    footer: 'Newest first. An intent is deleted when it expires or is turned into a token.',
    columns: { type: 'Type', data: 'Data', left: 'Time left' },
    hidden: 'not shown',
    remove: {
      title: 'Delete this token intent?',
      text: 'Its data is deleted, and programs can no longer turn it into a token.',
      action: 'Delete',
      done: () => 'The token intent was deleted',
    },
    drawer: {
      label: 'Token intent',
      gone: 'This token intent was deleted, or it has expired. The log does not hold that it was turned into a token.',
      intent: 'Token intent',
      turnedInto: 'Turned into',
      fingerprint: 'Fingerprint',
    },
    empty: {
      title: 'No token intents',
      text: 'A token intent holds data until a program decides whether it becomes a token, for example after a payment.',
    },
  },
} as const
