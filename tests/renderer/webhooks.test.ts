import fs from 'node:fs'
import { expect, test } from 'vitest'
import { eventGroups } from '../../renderer/screens/webhooks/event-groups.ts'
import { verifyCode } from '../../renderer/screens/webhooks/verify.ts'
import { causeOf, eventTypes } from '../../shared/webhook-events.ts'

test('every event type is in one group, and only those that never happen are apart', () => {
  expect(eventGroups.flatMap(({ types }) => types).sort()).toEqual(eventTypes)
  for (const { name, types } of eventGroups) {
    expect(types.length, name).toBeGreaterThan(0)
    for (const type of types) expect(causeOf(type) === null, type).toBe(name === 'never')
  }
})

test('the window shows the verification that docs/webhooks.md documents', () => {
  const guide = fs.readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')
  expect(guide).toContain(`\`\`\`js\n${verifyCode}\`\`\``)
})
