/**
 * The settings that `coffer serve`, `coffer run` and `coffer.config.yaml` can switch on too, with their help. A name
 * is a single word.
 */
export const settingOptions = {
  strict: 'reject unknown members and parameters of requests, which are otherwise ignored',
} as const
export type SettingOption = keyof typeof settingOptions

/** Returns an object with a value for each of `settingOptions`. */
export function mapSettingOptions<T>(map: (name: SettingOption) => T): Record<SettingOption, T> {
  const names = Object.keys(settingOptions) as SettingOption[]
  return Object.fromEntries(names.map((name) => [name, map(name)])) as Record<SettingOption, T>
}
