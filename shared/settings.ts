import { withJsonSchema } from './schemas/common.ts'
import { z } from './zod.ts'

function enumSetting<const T extends readonly [string, ...string[]]>(values: T, fallback: T[number]) {
  return withJsonSchema(z.enum(values).default(fallback), { type: 'string', enum: values })
}

const booleanSetting = (fallback: 'true' | 'false') => enumSetting(['true', 'false'], fallback)

/** Returns a pattern of the whole numbers from a power of ten to `max`. */
function toRangePattern(min: number, max: number): string {
  const digits = String(max)
  const shorter = `[1-9][0-9]{${String(min).length - 1},${digits.length - 2}}`
  const below = Array.from(digits, (digit, at) => {
    const least = at === 0 ? 1 : 0
    const rest = digits.length - at - 1
    return Number(digit) > least
      ? `${digits.slice(0, at)}[${least}-${Number(digit) - 1}][0-9]{${rest}}`
      : null
  })
  return `^0*(?:${[shorter, ...below.filter((each) => each !== null), digits].join('|')})$`
}

function integerSetting(min: 1 | 1000, max: number, fallback: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .default(String(fallback))
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({
      documented: { type: 'string', maxLength: 9, pattern: toRangePattern(min, max) },
      bounds: `${min} to ${max}`,
    })
}

/**
 * The tenant's settings: strings, as in the API, with the defaults of the rules (T-09, T-10, T-15, L-10, O-01 to O-05,
 *
 */
export const settings = z.strictObject({
  deduplicate_tokens: booleanSetting('false').describe(
    'Return an existing token with equal data instead of creating a second one',
  ),
  token_deduplication_behavior: enumSetting(['read_existing', 'update_existing'], 'read_existing').describe(
    'What happens to the existing token: `update_existing` updates it from the request, if the caller may update it. A converted token intent always does',
  ),
  disable_ephemeral_proxy: booleanSetting('false').describe(
    'Reject calls to /proxy that name a URL (BT-PROXY-URL) instead of a proxy',
  ),
  expose_raw_proxy_response: booleanSetting('false').describe(
    'Let pages with Elements read proxy responses, instead of references to their values',
  ),
  fingerprint_tokens: booleanSetting('true').describe(
    'Fingerprint tokens without their own fingerprint expression',
  ),
  deprecated_operations: enumSetting(['serve', 'gone'], 'serve').describe(
    '`gone` returns 410 for the deprecated list and search, to rehearse their shutdown',
  ),
  cvc_retention_seconds: integerSetting(1, 86_400, 3600).describe('How long the cvc of a card is stored'),
  token_intent_retention_seconds: integerSetting(1, 604_800, 86_400).describe(
    'How long a token intent is stored',
  ),
  log_retention_days: integerSetting(1, 3650, 90).describe('How long log records are stored'),
  log_retention_records: integerSetting(1000, 100_000_000, 1_000_000).describe(
    'The maximum number of stored log records; the oldest are deleted first',
  ),
  tokens_per_tokenize: integerSetting(1, 1000, 5).describe(
    'The maximum number of tokens that one tokenize request may create',
  ),
  expressions_per_detokenize: integerSetting(1, 1000, 5).describe(
    'The maximum number of expressions in one detokenize request',
  ),
  keep_exchanges: enumSetting(['in_memory', 'always', 'never'], 'in_memory').describe(
    'Whether the last 200 proxy calls are stored for the owner, with token values redacted; `never` also stops the console output of code from being stored',
  ),
  rate_limits: enumSetting(['off', 'legacy', 'custom'], 'off').describe('Which rate limits apply'),
  rate_limit_requests: integerSetting(1, 1_000_000, 1000).describe(
    'Custom: the maximum number of requests per client IP address in 10 seconds',
  ),
})

export type TenantSettings = z.output<typeof settings>
export type SettingName = keyof TenantSettings

/** Says which setting of the tenant to change, and where, in a message about what that setting limits or forbids. */
export function formatSettingHint(name: SettingName): string {
  return `To change that, set ${name} in the window under Settings, with PUT /tenants/self, or in a seed.`
}
