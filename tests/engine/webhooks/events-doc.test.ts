import { expect, test } from 'vitest'
import { eventTypes, getEventCause, listEventFields } from '../../../shared/webhook-events.ts'

const happening = eventTypes.filter((type) => getEventCause(type) !== null)
const never = eventTypes.filter((type) => getEventCause(type) === null)

const document = `# Event types

What [webhooks](webhooks.md) can be told. \`event.data\` has the members of its type, and \`actor\`, who caused it: \`id\`, \`type\` (\`application\`, \`user\` or \`system\`) and \`name\`. It is absent for a call of a proxy that asks for no key. Members marked \`?\` may be absent, others may be null. Times end in \`Z\` and have milliseconds. No event holds the data of a token.

| Type | When | Members of \`data\` |
|---|---|---|
${happening
  .map(
    (type) =>
      `| \`${type}\` | ${getEventCause(type)} | ${listEventFields(type)
        .map((path) => `\`${path}\``)
        .join(', ')} |`,
  )
  .join('\n')}

A webhook may also ask for these, which nothing in Coffer causes: ${never.map((type) => `\`${type}\``).join(', ')}.

Events are written in the transaction of what they tell. \`http.request\`, \`proxy.invoked\` and the runs of reactors tell of no change: they are written within 200 ms after they happen, like the log record of a read, and a kill in between takes them. A reactor that was ended by a lock or a kill has neither completed nor failed. Reactors that the owner tries in the window are not told of, and one that answers with \`CustomHttpResponseError\` has completed. A repeated request with an idempotency key tells nothing again. Reads and exports of the owner are not told, except for a reveal.
`

test('W-01 the document of event types is made from the table', async () => {
  await expect(document).toMatchFileSnapshot('../../../docs/webhook-events.md')
})
