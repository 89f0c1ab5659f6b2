import { expect, test } from 'vitest'
import { eventTypes, getEventCause, listEventFields } from '../../../shared/webhook-events.ts'

const sentTypes = eventTypes.filter((type) => getEventCause(type) !== null)
const neverSentTypes = eventTypes.filter((type) => getEventCause(type) === null)

const document = `# Event types

The events that [webhooks](webhooks.md) can subscribe to. \`event.data\` has the members of its type, and \`actor\`, who caused the event: \`id\`, \`type\` (\`application\`, \`user\` or \`system\`) and \`name\`. \`actor\` is absent for a call of a proxy that requires no key. Members marked with \`?\` may be absent, others may be null. Times are in UTC, with milliseconds and a \`Z\`. No event contains the data of a token.

| Type | When | Members of \`data\` |
|---|---|---|
${sentTypes
  .map(
    (type) =>
      `| \`${type}\` | ${getEventCause(type)} | ${listEventFields(type)
        .map((path) => `\`${path}\``)
        .join(', ')} |`,
  )
  .join('\n')}

A webhook may also subscribe to these events, which Coffer never sends: ${neverSentTypes.map((type) => `\`${type}\``).join(', ')}.

An event is written in the transaction of the change that it reports. \`http.request\`, \`proxy.invoked\` and the \`reactor\` events of runs report no change: they are written within 200 ms, like the log record of a read, and are lost if the process is killed before that. A run that is interrupted by locking the vault or killing the process sends neither \`reactor.completed\` nor \`reactor.failed\`. A run that ends with \`CustomHttpResponseError\` counts as completed. Test runs of the owner in the window send no events. Repeating a request with its idempotency key sends no events again. Reads and exports by the owner send no events, except a reveal.
`

test('W-01 docs/webhook-events.md matches the event types', async () => {
  await expect(document).toMatchFileSnapshot('../../../docs/webhook-events.md')
})
