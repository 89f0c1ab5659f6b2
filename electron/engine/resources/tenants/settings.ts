import { CofferError } from '../../../../shared/errors.ts'
import type { SettingsPatch } from '../../../../shared/schemas/tenant.ts'
import { type SettingName, settings, type TenantSettings } from '../../../../shared/settings.ts'
import { createValidationError } from '../../../../shared/validation.ts'
import type { Actor } from '../../access/actor.ts'

/** The stored settings, as text. Settings that were never set are absent. */
export type StoredSettings = { readonly [Name in keyof TenantSettings]?: string }

/**
 * Applies a patch to the stored settings; null resets a setting to its default (rule O-06). Throws `invalid` for a
 * value that a setting cannot have.
 */
export function patchSettings(stored: StoredSettings, patch: SettingsPatch): StoredSettings {
  const chosen = Object.entries({ ...stored, ...patch }).filter(([, value]) => typeof value === 'string')
  const patched = Object.fromEntries(chosen) as StoredSettings
  const parsed = settings.safeParse(patched)
  if (parsed.success) return patched
  const { errors = {} } = createValidationError(parsed.error)
  const settingErrors = Object.entries(errors).map(
    ([name, messages]) => [`settings.${name}`, messages] as const,
  )
  throw new CofferError('invalid', `These settings are not valid: ${Object.keys(errors).join(', ')}.`, {
    errors: Object.fromEntries(settingErrors),
  })
}

/** Returns every setting as text, including defaults (rule O-06). */
export function formatSettings(current: TenantSettings): Record<string, string> {
  return Object.fromEntries(Object.entries(current).map(([name, value]) => [name, String(value)]))
}

/** Throws `forbidden` if the patch of a program would change a setting that only the owner may change (rule G-07). */
export function requireOwnerForSetting(
  name: SettingName,
  { kind }: Pick<Actor, 'kind'>,
  stored: StoredSettings,
  patch: SettingsPatch,
): void {
  const requested = patch[name]
  if (kind === 'owner' || requested === undefined) return
  const fallback = String(settings.shape[name].parse(undefined))
  if ((requested ?? fallback) === (stored[name] ?? fallback)) return
  throw new CofferError('forbidden', `Only the owner can change ${name}. Change it in the window.`)
}
