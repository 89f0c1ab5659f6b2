import { capitalizeFirst, entities } from '../../../../shared/entities.ts'
import type { LogOperation } from '../../../../shared/schemas/log.ts'
import type { LogRow } from './store.ts'

/** The beginnings of the names of actions, such as `create` in `tokens.createMany`. All others read. */
const operations = [
  [
    'update',
    /^(?:vault|accountUpdater)\.|\.expireCvc|\.(?:update|patch|put|set|keep|fix|replace|regenerate|resend|save)/,
  ],
  [
    'update',
    /\.(?:authorize|authenticate|answer|complete|request|resume|retry|select|start|submit|suspend|transferOwner)/,
  ],
  ['create', /\.(?:create|tokenize|import|register|send)/],
  ['delete', /\.(?:remove|clear|deregister|forget|expire)/],
  ['invoke', /\.(?:invoke|react|transform|prepareTry|finish|settle)/],
] as const satisfies readonly [LogOperation, RegExp][]

const participles: Readonly<Record<LogOperation, string>> = {
  create: 'created',
  read: 'retrieved',
  update: 'updated',
  delete: 'deleted',
  invoke: 'invoked',
}

/** Returns what an action such as `tokens.createMany` does, in the hosted service's word (rule O-05). */
export function toLogOperation(action: string): LogOperation {
  return operations.find(([, beginning]) => beginning.test(action))?.[0] ?? 'read'
}

/** The maximum length of a message, as the hosted service documents it. */
const MAX_MESSAGE_LENGTH = 250

/** Returns the message of a record: `Token retrieved`, as the hosted service writes it, or why it was refused. */
export function formatLogMessage({ status, note, entity_type, operation }: LogRow): string {
  const reason = note === null ? '' : `: ${note}`
  if (status >= 400) return `Refused with ${status}${reason}`.slice(0, MAX_MESSAGE_LENGTH)
  return `${capitalizeFirst(entities[entity_type].name)} ${participles[toLogOperation(operation)]}`
}
