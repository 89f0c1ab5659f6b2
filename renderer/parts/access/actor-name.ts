import { strings } from './strings.ts'

type NamedEntity = { readonly id: string; readonly name: string }

/** The name of an actor: the owner without an id, and deleted if the application is not in the list. */
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
