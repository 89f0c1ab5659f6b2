import { formatCount } from '../../../../shared/format-count.ts'
import type { RuleTransform } from '../../../../shared/schemas/rule.ts'

const transforms = { redact: 'left out', mask: 'masked', reveal: 'plaintext' } as const
const formatChecks = (n: number) => formatCount(n.toLocaleString('en'), 'permission check')
const formatContainer = (container: string | null) => container ?? 'everywhere'

export const strings = {
  rules: 'Rules',
  none: 'No rules yet.',
  order:
    'Drag a rule, or press Alt ↑ or Alt ↓ on it. The first rule that covers the container and grants the permission decides.',
  drag: 'Drag to change the order',
  moved: (container: string, to: number, count: number) =>
    `The rule on ${container} is now ${to} of ${count}.`,
  up: 'Move up',
  down: 'Move down',
  remove: 'Remove the rule',
  add: 'Add a rule',
  addFor: (permission: string, container: string) => `Add a rule for ${permission} on ${container}`,
  container: 'Container',
  transform: 'Tokens are returned',
  permissions: 'It may',
  otherPermissions: 'Other permissions',
  noPermissions: 'no permissions',
  description: 'Description (optional)',
  general: 'Permissions everywhere',
  generalHelp: 'These apply in every container and show masked data. Use rules for finer control.',
  never: (verbs: string) =>
    `Anyone can see a public key, so it can never ${verbs} a token. No rule can change that.`,
  neverUse: 'Use a private application instead:',
  neverNone: 'Use a private application instead. There is none yet.',
  neverMore: (n: number) => `and ${n} more`,
  matrix: {
    title: 'Access',
    help: 'What Coffer would answer with these rules, before you save them. Select a cell for its rule and examples.',
    container: 'Container',
    transforms,
    allowed: 'allowed',
    refused: '403',
    never: 'never',
    neverTitle: (permission: string) => `A public key can never have ${permission}`,
    was: (outcome: string) => `was ${outcome}`,
    cell: (action: string, container: string) => `${action} in ${container}:`,
    by: (priority: number) => `decided by rule ${priority}`,
    changed: (n: number) => (n === 0 ? '' : n === 1 ? '1 cell changes' : `${n} cells change`),
    rest: 'Shows the containers of the rules, and those with the most tokens.',
  },
  examples: {
    title: 'Examples',
    of: (action: string, container: string | null) =>
      container === null ? `${action}, in all containers` : `${action} in ${container}`,
    all: 'All containers',
    help: 'The newest token of each type and container, under the rules as you edit them.',
    leftOut: 'left out',
    refused: '403',
    plaintext: 'plaintext',
    by: (priority: number) => `rule ${priority}`,
    byPermission: 'permission',
    otherContainers: (n: number) => `+${n}`,
    none: 'There are no tokens to preview here yet.',
  },
  log: {
    title: 'From the log',
    reading: (n: number) => `Reading the log: ${formatChecks(n)} so far…`,
    none: (days: number) =>
      `The log has no permission checks of this application from the last ${formatCount(days, 'day')}.`,
    covers: (n: number, from: string, to: string) => `${formatChecks(n)} from ${from} to ${to}`,
    newest: (n: number, from: string, to: string) => `the newest ${formatChecks(n)}, from ${from} to ${to}`,
    refused: (n: number) => `${n.toLocaleString('en')} would have been refused`,
    allowed: (n: number) => `${n.toLocaleString('en')} that were refused would have been allowed`,
    other: (n: number) => `${n.toLocaleString('en')} would have shown other data`,
    same: 'all would have had the same result',
    sameKnown: 'all that can be judged would have had the same result',
    of: 'Of',
    unknown: (n: number) =>
      `${formatChecks(n)} cannot be judged: the containers are no longer known, a session was refused, or there are too many kinds of checks.`,
    now: 'One request can need several checks. Containers are those that the tokens have now. Sessions that it authorized are counted.',
    line: (n: number, operation: string) => `${n.toLocaleString('en')} × ${operation}`,
    more: (n: number) => `and ${n.toLocaleString('en')} more kinds of checks`,
    propose: 'Make rules from what it used',
    proposed: (rules: number, requests: number, days: number) =>
      `${formatCount(rules, 'rule')}, from ${formatChecks(requests)} of the last ${formatCount(days, 'day')}. Access that was not used is gone. Undo brings it back.`,
    widened: (scopes: number, limit: number) =>
      `It used ${scopes} containers. They are joined into wider ones, because more than ${limit} rules are hard to read.`,
    kept: 'For some checks, the log names only the rule that decided. They keep the container of that rule.',
  },
  changes: {
    title: 'Unsaved changes',
    count: (n: number) => formatCount(n, 'change'),
    undo: 'Undo',
    added: (container: string) => `New rule on ${container}`,
    removed: (container: string) => `Rule on ${container} removed`,
    moved: 'Rules in another order',
    container: (from: string, to: string) => `${from} becomes ${to}`,
    transform: (container: string, to: RuleTransform) => `${container} returns ${transforms[to]}`,
    description: (container: string) => `${container} has another description`,
    gained: (container: string | null, names: string) => `${formatContainer(container)} gains ${names}`,
    lost: (container: string | null, names: string) => `${formatContainer(container)} loses ${names}`,
  },
} as const
