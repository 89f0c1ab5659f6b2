import fs from 'node:fs'
import { expect, test } from 'vitest'
import {
  toProxyDraft as proxyDraft,
  validateProxyDraft as proxyProblems,
} from '../../renderer/screens/proxies/proxy-draft.ts'
import { eventGroups } from '../../renderer/screens/webhooks/event-groups.ts'
import { verifyCode } from '../../renderer/screens/webhooks/verify.ts'
import { toWebhookDraft, validateWebhookDraft } from '../../renderer/screens/webhooks/webhook-draft.ts'
import { eventTypes, getEventCause } from '../../shared/webhook-events.ts'

test('every event type is in exactly one group, and the types never sent are in their own group', () => {
  expect(eventGroups.flatMap(({ types }) => types).sort()).toEqual(eventTypes)
  for (const { name, types } of eventGroups) {
    expect(types.length, name).toBeGreaterThan(0)
    for (const type of types) expect(getEventCause(type) === null, type).toBe(name === 'never')
  }
})

test('the window shows the verification that docs/webhooks.md documents', () => {
  const guide = fs.readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')
  expect(guide).toContain(`\`\`\`js\n${verifyCode}\`\`\``)
})

test('an empty webhook or proxy form requires a URL', () => {
  const name = 'Must not be empty.'
  const events = 'Choose at least one event.'
  expect(validateWebhookDraft(toWebhookDraft(null))).toEqual({ name, url: 'Enter a URL.', events })
  expect(validateWebhookDraft({ ...toWebhookDraft(null), url: 'ftp://a.test' }).url).toBe(
    'Must be an https: URL.',
  )
  expect(proxyProblems(proxyDraft(null))).toEqual({ name, destination_url: 'Enter a URL.' })
})
