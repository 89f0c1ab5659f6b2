import type { Application } from '../../../shared/schemas/application.ts'
import type { OwnerThreeDsSession } from '../../../shared/schemas/three-ds.ts'
import { strings } from './strings.ts'

const t = strings.threeDs.messages

type Party = keyof typeof t.parties

/** A message of a 3D Secure session, as a log record tells of it. */
export type ThreeDsMessage = {
  readonly from: Party
  readonly to: Party
  readonly text: string
  /** What came of it, if that is known. */
  readonly outcome?: string | undefined
}

type MessageRecord = {
  readonly action: string
  readonly status: number
  readonly actor_id?: string | undefined
  readonly actor_type?: string | undefined
}

/** Where the actions of the pages and of the owner go. All others go from a program to the vault. */
const routes: Readonly<Record<string, readonly [from: Party, to: Party]>> = {
  'threeDs.completeMethod': ['page', 'bank'],
  'threeDs.showChallenge': ['page', 'bank'],
  'threeDs.answerChallenge': ['page', 'bank'],
  'threeDs.showRedirect': ['page', 'vault'],
  'threeDs.authenticateRedirect': ['page', 'bank'],
  'threeDs.decide': ['owner', 'bank'],
}

/** Says who sent what to whom. The public key of a page and its session are the page, any other key is the server. */
export function describeMessage(
  record: MessageRecord,
  session: OwnerThreeDsSession,
  applications: readonly Pick<Application, 'id' | 'type'>[],
): ThreeDsMessage {
  const { action } = record
  const [from, to] = routes[action] ?? [getCaller(record, applications), getAnswerer(action)]
  const isKnown = (name: string): name is keyof typeof t.actions => name in t.actions
  return {
    from,
    to,
    text: isKnown(action) ? t.actions[action] : action,
    outcome: record.status < 400 ? getOutcome(action, session) : undefined,
  }
}

function getCaller(
  { actor_type, actor_id }: MessageRecord,
  applications: readonly Pick<Application, 'id' | 'type'>[],
): Party {
  if (actor_type === 'owner') return 'owner'
  const isPublic = applications.some(({ id, type }) => id === actor_id && type === 'public')
  return actor_type === 'session' || actor_type === 'cardholder' || isPublic ? 'page' : 'server'
}

/** The vault passes an authentication on to the bank. */
function getAnswerer(action: string): Party {
  return action === 'threeDs.authenticate' ? 'bank' : 'vault'
}

function getOutcome(action: string, session: OwnerThreeDsSession): string | undefined {
  const { statuses } = strings.threeDs
  const { directory_status, status, choice } = session
  if (action === 'threeDs.authenticate' || action === 'threeDs.authenticateRedirect')
    return directory_status && t.answered(statuses[directory_status])
  if (action !== 'threeDs.answerChallenge' && action !== 'threeDs.decide') return undefined
  return choice && status && t.chose(t.choices[choice], statuses[status])
}
