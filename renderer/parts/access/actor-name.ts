import { strings } from './strings.ts'

type NamedEntity = { readonly id: string; readonly name: string }

/** Returns the name of an actor, which is one of these applications or anyone else; without an id or a type, the owner. */
export function getActorName(
  applications: readonly NamedEntity[],
  id: string | null | undefined,
  type = 'application',
): string {
  const { actors } = strings
  if (type === 'cardholder' || type === 'vault' || type === 'unknown') return actors[type]
  if (!id) return actors.owner
  const known = applications.find((each) => each.id === id)
  if (known) return known.name
  return type === 'session' || type === 'proxy' ? actors[type] : actors.gone
}
