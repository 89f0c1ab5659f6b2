import { readJson } from '../../../shared/json.ts'
import type {
  AuthenticationRequest,
  ChallengeChoice,
  ChallengePreference,
  DeviceInfo,
  SessionType,
} from '../../../shared/schemas/three-ds.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { ScenarioName } from './scenarios.ts'
import type { ThreeDsRow } from './store.ts'

/** A session as it is sealed. SECURITY: of the card, only its brand and what 3D Secure is to make of it. */
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
  /** The address the listener was called at, as the cardholder's browser is to call it; empty where there was none. */
  readonly base_url: string
  readonly redirect: { readonly success: string; readonly failure: string } | null
  /** What the page of a redirect is to authenticate with; null once it has. */
  readonly request: AuthenticationRequest | null
  readonly metadata: Readonly<Record<string, string>> | null
  readonly method_completed: boolean
  readonly authenticated: Authenticated | null
}

/** What is kept of an authentication. SECURITY: nothing of who pays. */
export type Authenticated = {
  readonly brand: string
  readonly at: number
  readonly decoupled: { readonly asked: boolean; readonly until: number | null }
  readonly challenge_preference: ChallengePreference | null
  readonly message_extensions: readonly Readonly<Record<string, unknown>>[]
  readonly merchant: string | null
  readonly purchase: { readonly amount: string; readonly currency: string; readonly exponent: string } | null
  /** What the cardholder answered to the challenge. */
  readonly choice: ChallengeChoice | null
}

const LABEL = 'three_ds'

/** Seals the content of a session. */
export function sealContent({ keyring }: { keyring: Keyring }, id: string, content: ThreeDsContent): Buffer {
  return keyring.sealValue(JSON.stringify(content), id, LABEL)
}

/** Opens the content of a session. Throws `damaged`. */
export function openContent({ keyring }: { keyring: Keyring }, row: ThreeDsRow): ThreeDsContent {
  return readJson(keyring.openValue(row.content, row.id, LABEL)) as unknown as ThreeDsContent
}
