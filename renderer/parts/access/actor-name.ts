import { strings } from './strings.ts'

type NamedEntity = { readonly id: string; readonly name: string }

/**
 * The display name of an actor. Without an id, the actor is the owner. An application that is not in the
 * list was deleted.
 */
export function getActorName(
  applications: readonly NamedEntity[],
  id: string | null | undefined,
  type = 'application',
): string {
  const { actors } = strings
  if (type === 'cardholder' || type === 'vault' || type === 'unknown') return actors[type]
  if (!id) return actors.owner
  const application = applications.find((each) => each.id === id)
  if (application) return application.name
  return type === 'session' || type === 'proxy' ? actors[type] : actors.gone
}
