import { InvalidArgumentError } from 'commander'
import { findNearestName } from '../../../shared/nearest-name.ts'
import { type EventType, eventTypes, getEventCause, isEventType } from '../../../shared/webhook-events.ts'
import { UsageError } from './usage-error.ts'

/**
 * Returns the event types that match a list of names and patterns, such as `token.*,proxy.invoked`. A `*` matches any
 * characters. Without a list, returns every type that Coffer sends, except `http.request`. Throws a UsageError for a
 * pattern that matches no type.
 */
export function parseEventPatterns(list?: string): readonly EventType[] {
  if (list === undefined)
    return eventTypes.filter((type) => getEventCause(type) !== null && type !== 'http.request')
  const patterns = list.split(',').map((each) => each.trim())
  const chosen = new Set<EventType>()
  for (const pattern of patterns) {
    const matching = eventTypes.filter((type) => matchesPattern(type, pattern))
    if (matching.length === 0) {
      throw new UsageError(
        '--events takes types such as token.created, and patterns such as token.*, separated by commas. One of them matches no type; coffer webhooks listen --help lists the types.',
      )
    }
    for (const type of matching) chosen.add(type)
  }
  return eventTypes.filter((type) => chosen.has(type))
}

function matchesPattern(type: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return type === pattern
  const last = rest.pop() ?? ''
  if (!type.startsWith(first) || !type.endsWith(last) || type.length < first.length + last.length)
    return false
  let at = first.length
  return rest.every((part) => {
    const index = type.slice(0, type.length - last.length).indexOf(part, at)
    at = index + part.length
    return index >= 0
  })
}

/** Parses an event type. Throws an InvalidArgumentError that suggests the nearest type, or those of the same area. */
export function parseEventType(text: string): EventType {
  if (isEventType(text)) return text
  const [area = ''] = text.split('.')
  const nearest = findNearestName(text, eventTypes)
  const near = nearest === undefined ? eventTypes.filter((type) => type.startsWith(`${area}.`)) : [nearest]
  throw new InvalidArgumentError(
    near.length > 0
      ? `Did you mean ${near.join(', ')}?`
      : 'The help of coffer webhooks listen lists the types.',
  )
}
