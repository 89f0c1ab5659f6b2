/** Areas of the hosted service that this version does not implement, by path prefix (rule O-07). */
const areas: readonly (readonly [path: string, name: string])[] = [
  ['/reactor-formulas', 'Reactor formulas'],
  ['/tenants/self/connections', 'Tenant connections'],
  ['/tenants/{id}/merchants', 'Merchants'],
  ['/network-tokens', 'Network tokens'],
  ['/account-updater', 'Account updater'],
  ['/apple-pay', 'Apple Pay'],
  ['/google-pay', 'Google Pay'],
  ['/connections', 'Wallet connections'],
  ['/agentic', 'Agentic payments'],
]

/** The unimplemented area a path belongs to, or null. */
export function findUnsupportedArea(path: string): string | null {
  const segments = path.split('/')
  const area = areas.find(([prefix]) =>
    prefix.split('/').every((part, at) => (part === '{id}' ? segments[at] : segments[at] === part)),
  )
  return area ? area[1] : null
}
