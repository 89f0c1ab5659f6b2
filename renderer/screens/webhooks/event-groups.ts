import { type EventType, eventTypes, getEventCause } from '../../../shared/webhook-events.ts'
import { strings } from './strings.ts'

const { groups } = strings
type GroupName = keyof typeof groups

export type EventGroup = {
  readonly name: GroupName
  readonly title: string
  readonly types: readonly EventType[]
}

/** Every event type by resource. Those that Coffer never sends are a separate group. */
export const eventGroups: readonly EventGroup[] = (Object.keys(groups) as GroupName[]).map((name) => ({
  name,
  title: groups[name],
  types: eventTypes.filter((type) => getGroupName(type) === name),
}))

function getGroupName(type: EventType): string {
  return getEventCause(type) === null ? 'never' : type.slice(0, type.indexOf('.'))
}
