import { readJson } from '../../../../shared/json.ts'
import type {
  AuthenticationRequest,
  ChallengeChoice,
  ChallengePreference,
  DeviceInfo,
  SessionType,
} from '../../../../shared/schemas/three-ds.ts'
import type { Keyring } from '../../crypto/keyring.ts'
import type { ScenarioName } from './scenarios.ts'
import type { ThreeDsRow } from './store.ts'

/** The sealed content of a session. SECURITY: of the card, only the brands and the name of the scenario. */
export type ThreeDsContent = {
  readonly type: SessionType
  readonly token_id: string | null
  readonly token_intent_id: string | null
  readonly scenario: ScenarioName
  readonly brand: string
  readonly additional_brands: readonly string[]
  readonly device: 'browser' | 'app' | null
  readonly device_info: DeviceInfo | null
  readonly web_challenge_mode: string | null
  /** The base URL of the listener that received the request, and of the cardholder's page; empty if there was none. */
  readonly base_url: string
  readonly redirect: { readonly success: string; readonly failure: string } | null
  /** The request with which the redirect page authenticates; null once it has done so. */
  readonly request: AuthenticationRequest | null
  readonly metadata: Readonly<Record<string, string>> | null
  readonly method_completed: boolean
  readonly authenticated: Authenticated | null
}

/** What is stored about an authentication. SECURITY: nothing about the cardholder. */
export type Authenticated = {
  readonly brand: string
  readonly at: number
  readonly decoupled: { readonly asked: boolean; readonly until: number | null }
  readonly challenge_preference: ChallengePreference | null
  /** Whether the shop asked only whether the cardholder trusts it. Absent in sessions of an earlier version. */
  readonly checks_whitelist?: boolean
  readonly message_extensions: readonly Readonly<Record<string, unknown>>[]
  readonly merchant: string | null
  readonly purchase: { readonly amount: string; readonly currency: string; readonly exponent: string } | null
  /** How the cardholder answered the challenge. */
  readonly choice: ChallengeChoice | null
}

const LABEL = 'three_ds'

export function sealContent({ keyring }: { keyring: Keyring }, id: string, content: ThreeDsContent): Buffer {
  return keyring.sealValue(JSON.stringify(content), id, LABEL)
}

/** Opens the content of a session. Throws `damaged`. */
export function openContent({ keyring }: { keyring: Keyring }, row: ThreeDsRow): ThreeDsContent {
  return readJson(keyring.openValue(row.content, row.id, LABEL)) as unknown as ThreeDsContent
}
