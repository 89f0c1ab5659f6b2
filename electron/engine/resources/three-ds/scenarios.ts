import { isLuhnValid } from '../../../../shared/luhn.ts'
import type { AuthenticationStatus } from '../../../../shared/schemas/three-ds.ts'

/** How 3D Secure treats a card (rule S-01). */
export type Scenario = {
  /** The result if there is no challenge, or if the cardholder passes the challenge. */
  readonly outcome: Extract<
    AuthenticationStatus,
    'successful' | 'attempted' | 'failed' | 'unavailable' | 'rejected'
  >
  readonly challenge: 'static' | 'out-of-band' | null
  readonly mandated: boolean
  /** Whether the issuer checks the browser first (the 3DS method). */
  readonly method: boolean
  /** The service that fails instead of responding; null if none does. */
  readonly error: 'directory' | 'server' | null
}

const plain = { challenge: null, mandated: false, method: true, error: null } as const
const challenged = { ...plain, challenge: 'static' } as const

/** Every scenario. SECURITY: a session stores the scenario's name, so it need not store the card number. */
export const scenarios = {
  frictionless: { ...plain, outcome: 'successful' },
  challenge: { ...challenged, outcome: 'successful' },
  'challenge-without-method': { ...challenged, outcome: 'successful', method: false },
  'challenge-mandated': { ...challenged, outcome: 'successful', mandated: true },
  'challenge-out-of-band': { ...challenged, outcome: 'successful', challenge: 'out-of-band' },
  'challenge-attempted': { ...challenged, outcome: 'attempted' },
  'challenge-failed': { ...challenged, outcome: 'failed' },
  'challenge-out-of-band-failed': { ...challenged, outcome: 'failed', challenge: 'out-of-band' },
  'challenge-unavailable': { ...challenged, outcome: 'unavailable' },
  'challenge-rejected': { ...challenged, outcome: 'rejected' },
  attempted: { ...plain, outcome: 'attempted' },
  failed: { ...plain, outcome: 'failed' },
  unavailable: { ...plain, outcome: 'unavailable' },
  rejected: { ...plain, outcome: 'rejected' },
  'directory-error': { ...plain, outcome: 'unavailable', error: 'directory' },
  'server-error': { ...plain, outcome: 'unavailable', error: 'server' },
  /** The scenario of every other card: the network attempts the authentication, as for an unknown issuer. */
  unknown: { ...plain, outcome: 'attempted', method: false },
} as const satisfies Record<string, Scenario>

export type ScenarioName = keyof typeof scenarios

/** The test cards of each scenario. Some fail the Luhn check; only tokens of type `token` can hold these. */
export const cardsOfScenarios: Readonly<Record<Exclude<ScenarioName, 'unknown'>, readonly string[]>> = {
  frictionless: ['5204247750001471', '340000000004001', '6011601160116011', '4200000000000002'],
  challenge: [
    '4000020000000000',
    '370000000000002',
    '3566002020360505',
    '3566006663297692',
    '4200000000000004',
  ],
  'challenge-without-method': ['4005562231212123', '4200000000000014'],
  'challenge-mandated': ['4761369980320253', '5200000000001104', '4200000000000015'],
  'challenge-out-of-band': ['4000000000000341', '4200000000000016'],
  'challenge-attempted': ['4005571701111111', '4200000000000008'],
  'challenge-failed': ['4055011111111111', '5427660064241339', '4200000000000009'],
  'challenge-out-of-band-failed': ['6011361011110004', '4200000000000017'],
  'challenge-unavailable': ['6011361000008888', '4200000000000010'],
  'challenge-rejected': ['6011361000001115', '4200000000000011'],
  attempted: ['4111111111111111', '5424180011113336', '4200000000000003'],
  failed: ['4264281511112228', '5424180000000171', '4200000000000005'],
  unavailable: ['5405001111111165', '4200000000000006'],
  rejected: ['5405001111111116', '4200000000000007'],
  'directory-error': ['4264281500003339', '5424180011110001', '4200000000000012'],
  'server-error': ['4264281500001119', '4200000000000013'],
}

const scenariosByNumber: ReadonlyMap<string, ScenarioName> = new Map(
  (Object.entries(cardsOfScenarios) as [ScenarioName, readonly string[]][]).flatMap(([name, numbers]) =>
    numbers.map((number) => [number, name] as const),
  ),
)

/** Returns the scenario of a card number; `unknown` if it is not a test card. */
export function getScenarioName(number: string): ScenarioName {
  return scenariosByNumber.get(number) ?? 'unknown'
}

/** Whether a number is a test card that fails the Luhn check, so that no token of type `card` can hold it. */
export function isNumberWithoutLuhn(number: string): boolean {
  return scenariosByNumber.has(number) && !isLuhnValid(number)
}
