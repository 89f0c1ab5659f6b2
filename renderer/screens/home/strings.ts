import { formatCount } from '../../../shared/format-count.ts'

export const strings = {
  title: 'Home',
  owners: 'Counts and traffic always show the owner’s view.',
  memory: {
    title: 'This vault is in memory only',
    text: 'It is deleted when Coffer stops or you lock it. To keep its tokens, export them first, then create a vault and import them there.',
    documents: 'An export does not include documents. Download those that you need.',
    export: 'Export tokens…',
    create: 'New vault…',
  },
  steps: {
    title: 'First steps',
    taken: (n: number, of: number) => `${n} of ${of} done`,
    hide: 'Hide (the vault menu shows it again)',
    done: 'done',
    open: 'to do',
    command: 'command',
    keyNote: {
      PRIVATE_KEY: 'With PRIVATE_KEY set to the key of a private application.',
      MANAGEMENT_KEY: 'With MANAGEMENT_KEY set to a management key.',
    },
    names: {
      token: 'A first token',
      application: 'Your own application',
      proxied_call: 'A call through the proxy',
      webhook: 'A webhook',
      backup: 'A backup',
    },
    texts: {
      token: 'Store a test card; the form can fill one in. Your program gets a token in its place.',
      application:
        'Give your program its own key, with only the permissions that it needs. The vault’s first keys are for trying things out.',
      proxied_call:
        'Send a token to another service: Coffer inserts the card on the way, so the program never sees it.',
      webhook: 'Have Coffer notify your program when tokens are created, changed or deleted.',
      backup: 'One encrypted file restores everything. The recovery key opens it on any machine.',
    },
    actions: {
      token: 'New token…',
      application: 'New application…',
      proxied_call: 'Try a proxy…',
      webhook: 'New webhook…',
      backup: 'Back up…',
    },
  },
  listener: {
    title: 'Listener',
    first: 'A first request',
    unchanged: 'Run your program unchanged',
    unchangedText:
      'A program that calls api.basistheory.com needs nothing changed but its keys. With a vault of its own, in memory:',
    unchangedCommand: 'coffer run --as-hosted -- npm start',
    unchangedWhat: 'command',
    unchangedHere: 'With this vault:',
    unchangedSettings: 'answer as the hosted service…',
    on: 'Programs on this machine reach the vault at',
    gone: (url: string) => `It was listening on ${url}.`,
    goneOff: 'It was off.',
    off: 'No program can reach the vault.',
    refused: 'The listener could not start.',
    url: 'base URL',
    env: '.env lines',
    start: 'Start listener',
    stop: 'Stop',
  },
  tokens: {
    title: 'Tokens',
    total: (n: string) => `${n} in the vault`,
    byType: 'By type',
    byContainer: 'By container, including nested ones',
    otherTypes: (tokens: string, types: number) =>
      `${formatCount(tokens, 'token')} of ${types === 1 ? 'another type' : `${types} other types`}`,
    otherContainers: (n: number) => (n === 1 ? '1 other container' : `${n} other containers`),
    none: 'No tokens yet',
    create: 'New token',
    show: (what: string, n: string) => `Show ${n} in ${what}`,
  },
  documents: {
    none: 'No documents',
    count: (n: number, size: string) =>
      n === 1 ? `1 document, ${size}` : `${n.toLocaleString('en')} documents, ${size}`,
    countMore: (n: number) => `More than ${n.toLocaleString('en')} documents`,
  },
  traffic: {
    title: 'Requests from programs',
    ranges: { 60: '1 hour', 1440: '24 hours', 10080: '7 days' },
    range: 'Range',
    chart: 'Requests over time',
    none: 'No requests from programs in this period.',
    /** The start of a summary, which says what it covers. */
    since: (time: string) => `since ${time}: `,
    partial: 'Counting the earlier requests of this period…',
    summary: (requests: number, refused: number, failed: number) =>
      `${formatCount(requests.toLocaleString('en'), 'request')}, ${refused.toLocaleString('en')} refused, ${failed.toLocaleString('en')} failed`,
    operation: 'Operation',
    requests: 'Requests',
    p50: 'p50',
    p95: 'p95',
    speed: 'Response times',
  },
  expiring: {
    title: 'Expiring soon',
    none: 'Nothing expires within two weeks.',
    some: (shown: number, { total, isExact }: { total: number; isExact: boolean }) =>
      `${shown} of ${isExact ? '' : 'more than '}${total.toLocaleString('en')}`,
  },
} as const
