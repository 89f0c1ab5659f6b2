/** The operations that a simulation never calls with success, with the reason. */
export const excluded: Readonly<Record<string, string>> = {
  'keys.fix': 'only a vault in memory has fixed keys',
  'applications.regenerate': 'it always answers that it is gone',
  'members.remove': 'it always refuses: the owner is the only member',
  'tenants.remove': 'it always refuses: a vault is deleted in the window',
}
