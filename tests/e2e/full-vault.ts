import { expect } from 'vitest'
import { tokenTypes } from '../../renderer/parts/tokens/token-types.ts'
import type { Json } from '../../shared/json.ts'
import { newCheckout } from '../engine/prepared-writes.ts'
import { makeDocument } from '../make-document.ts'
import { startDestination } from '../outbound/destination.ts'
import type { StartedWindow } from './window-fixture.ts'

/** A bidirectional override makes this name look like that of a picture. */
const turned = 'invoice\u202egnp.exe'
/** Arabic and Hebrew names. Truncated at the wrong end, they would show their last words. */
const arabic = 'متجر الكتب القديمة والنادرة في شارع المعرفة بجوار السوق الكبير'
const hebrew = 'חנות ספרים ישנים ונדירים ברחוב הידע ליד השוק הגדול'
const words = 'A name of many words that somebody wrote without thinking of those who read it '
  .repeat(2)
  .trim()
const long = 'x'.repeat(180)
const path = `/${'a_long_segment'.repeat(5)}/${'short/'.repeat(20)}`

/** JSON with the maximum depth. */
function createDeepJson(levels: number): Json {
  return levels === 0 ? 'the bottom' : { next: createDeepJson(levels - 1) }
}

/** The URL fragment of each panel, and the keys to press once it is open. */
export type Panels = Readonly<Record<string, readonly [hash: string, ...keys: string[]]>>

/**
 * Fills a vault with everything that panels can show: long, bidirectional, expired, failed, rotated and
 * stored data.
 */
export async function fillEveryPanel({ owner }: StartedWindow): Promise<Panels> {
  await owner.host.createVault({ name: turned, protection: { memory: true } })
  await owner.host.updateSettings({
    reactors: true,
    origins: Array.from({ length: 20 }, (_, at) => `https://shop-${at}.of-a-long-domain.example.com`),
  })
  const listener = await owner.host.listenerOn()
  const url = listener.state === 'on' ? listener.url : ''
  const places: Record<string, string> = {}

  const soon = new Date(Date.now() + 3_600_000).toISOString()
  const metadata = {
    [turned]: turned,
    [arabic]: arabic,
    [`${'k'.repeat(200)}`]: 'v'.repeat(2000),
    shop: hebrew,
    ...Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`key ${at}`, `value ${at}`])),
  }
  const createToken = async (name: string, values: object) => {
    const created = await owner.tokens.create({ type: 'token', data: 'x', ...values })
    places[name] = `#/tokens/${encodeURIComponent(created.id)}`
    return created
  }
  for (const [type, { sample }] of Object.entries(tokenTypes)) {
    await createToken(`a token of type ${type}`, { type, data: sample, containers: [path, '/b/', '/c/'] })
  }
  const full = await createToken('a token with everything', {
    id: `${'an-id-that-a-program-has-chosen-'.repeat(6)}1`,
    type: 'card',
    data: { ...tokenTypes.card.sample, expiration_year: 2040 },
    containers: [path, '/b/', '/c/', '/d/', '/e/'],
    metadata,
    expires_at: soon,
    search_indexes: ['{{ data.number }}', '{{ data.number | last4 }}'],
    fingerprint_expression: '{{ data.number }}',
    mask: { number: '{{ data.number | reveal_last: 4 }}', note: `${long} ${words}` },
  })
  await owner.tokens.update({ id: full.id, metadata: { changed: 'yes' } })
  await createToken('a token of 2 MiB', { data: 'y'.repeat(2 * 1024 * 1024 - 2), mask: '{{ data }}' })
  await createToken('a token with deep JSON', { data: createDeepJson(60), mask: '{{ data }}' })
  await createToken('a token of Arabic', { data: arabic, mask: arabic, metadata: { [hebrew]: arabic } })
  await createToken('a token that is turned around', {
    data: turned,
    mask: turned,
    metadata: { [turned]: 'x' },
  })
  places['a token being edited'] = `#/tokens/${encodeURIComponent(full.id)}?edit=1`
  places['a new token'] = '#/tokens?new=1'

  const html = Buffer.from(`<h1>${turned}</h1>`)
  const about = { content_type: 'text/html', metadata: { ...metadata, name: `${long}.html` } }
  places['a document'] = `#/documents/${await makeDocument(owner, html, about)}`
  places['an upload'] = '#/documents?new=1'

  const rules = Array.from({ length: 12 }, (_, at) => ({
    description: at % 2 ? words : turned,
    priority: at + 1,
    container: at % 2 ? path : '/',
    transform: (['mask', 'reveal', 'redact'] as const)[at % 3] ?? 'mask',
    permissions: ['token:read', 'token:create', 'token:update', 'token:delete', 'token:search'] as const,
  }))
  const createApplication = async (options: object) => {
    const created = await owner.applications.create({
      type: 'private',
      permissions: ['token:read'],
      ...options,
    } as never)
    return { id: created.id, key: created.key ?? '' }
  }
  const many = await createApplication({ name: arabic, permissions: [], rules, expires_at: soon })
  const [first] = await owner.stats.keys({ application_id: many.id })
  await owner.keys.replace({ id: many.id, keyId: first?.id ?? '' })
  const page = await createApplication({
    name: turned,
    type: 'public',
    permissions: ['token:create'],
  })
  const shop = await createApplication({
    name: long,
    permissions: ['token:read', 'proxy:invoke', 'reactor:invoke'],
  })
  places['an application with two keys and many rules'] = `#/applications/${many.id}`
  places['an application of pages'] = `#/applications/${page.id}`
  places['an application with a long name'] = `#/applications/${shop.id}`
  places['rules being changed'] = `#/applications/${many.id}?edit=1`
  places['a new application'] = '#/applications?new=1'

  const checkout = await owner.checkouts.create({
    ...newCheckout,
    name: `${turned} ${long}`,
    page_name: arabic,
    server_name: words,
    proxy_name: hebrew,
    webhook_name: turned,
  })
  places['a checkout'] = `#/applications/${checkout.id}?view=checkouts`
  places['a new checkout'] = '#/applications?view=checkouts&new=1'

  const callListener = async (route: string, key: string, more: RequestInit = {}) =>
    (
      await fetch(url + route, {
        ...more,
        headers: { 'SVC-API-KEY': key, 'User-Agent': `${words} ${long}`, ...more.headers },
      })
    ).text()
  const json = { 'Content-Type': 'application/json' }
  await callListener(`/tokens/${encodeURIComponent(full.id)}`, page.key)
  await callListener('/applications', shop.key)
  await callListener('/tokens', shop.key, {
    method: 'POST',
    headers: json,
    body: '{"type":"card","data":{"number":1}}',
  })

  const { url: answers } = await startDestination((_request, response) => {
    response.writeHead(500, { 'Content-Type': 'application/json', 'X-Long': long })
    response.end(JSON.stringify({ error: words, deep: createDeepJson(20), turned, arabic }))
  })
  const transform = { type: 'append_header', options: { location: 'X-Shop', value: long } }
  const proxy = await owner.proxies.create({
    name: turned,
    destination_url: `${answers}/${'v1/'.repeat(60)}`,
    request_transforms: Array.from({ length: 8 }, () => transform),
    response_transforms: [{ type: 'mask', matcher: 'regex', expression: `"(${long})"`, replacement: '*' }],
    configuration: { [turned]: long, [arabic]: hebrew, short: 'x' },
    application: { id: many.id },
  } as never)
  const body = JSON.stringify({ pan: `{{ ${tokenTypes.token.sample} }}`, words, arabic, turned })
  for (const route of ['/proxy', `/proxy/${'charges/'.repeat(30)}?x=${long}`]) {
    await callListener(route, shop.key, {
      method: 'POST',
      body,
      headers: { ...json, 'SVC-PROXY-KEY': proxy.key },
    })
    const plain = JSON.stringify({ words, arabic, turned })
    await callListener(route, shop.key, {
      method: 'POST',
      body: plain,
      headers: { ...json, 'SVC-PROXY-KEY': proxy.key },
    })
  }
  const [call] = (await owner.exchanges.list({})).data
  places['a proxy with saved calls'] = `#/proxies/${proxy.id}`
  places['a proxy being changed'] = `#/proxies/${proxy.id}?edit=1`
  places['a new proxy'] = '#/proxies?new=1'
  places['a saved call'] = `#/proxies?view=exchanges&exchange=${call?.id}`
  places['saved calls'] = '#/proxies?view=exchanges'

  const code = `module.exports = ({ args }) => { console.log(args.say); if (args.fail) throw new Error(args.say); return { raw: args } }`
  const reactor = await owner.reactors.create({
    name: hebrew,
    code,
    configuration: { [turned]: long },
    application: { id: many.id },
  } as never)
  for (const fail of [false, true]) {
    const args = JSON.stringify({ args: { fail, say: `${words} ${turned} ${arabic} ${long}` } })
    await callListener(`/reactors/${reactor.id}/react`, shop.key, {
      method: 'POST',
      headers: json,
      body: args,
    })
  }
  await expect.poll(async () => (await owner.reactorRuns.list({})).data.length).toBe(2)
  places['a reactor with runs'] = `#/reactors/${reactor.id}`
  places['a new reactor'] = '#/reactors?new=sign'

  const createWebhook = async (name: string, target: string) =>
    owner.webhooks.create({ name, url: target, events: ['token.created', 'token.updated', 'token.deleted'] })
  const failing = await createWebhook(arabic, `${answers}/${'hooks/'.repeat(40)}`)
  await owner.tokens.createMany({ tokens: Array.from({ length: 110 }, () => ({ type: 'token', data: 'x' })) })
  const readDisabledReason = async () =>
    (await owner.webhooks.getHealth({ id: failing.id })).disabled_reason ?? ''
  await expect.poll(readDisabledReason).toContain('100 attempts')
  const silent = await createWebhook(turned, 'http://127.0.0.1:9/')
  const [sent] = (await owner.deliveries.list({ webhook_id: failing.id })).data
  places['a disabled webhook with its reason'] = `#/webhooks/${failing.id}`
  places['a failing webhook'] = `#/webhooks/${silent.id}`
  places['a webhook being changed'] = `#/webhooks/${failing.id}?edit=1`
  places['a new webhook'] = '#/webhooks?new=1'
  places['deliveries, and one of them'] = `#/webhooks/${failing.id}?view=deliveries&delivery=${sent?.id}`
  places['the signing key'] = '#/webhooks?view=key'

  const { data: records } = await owner.logs.find({ size: 100 })
  const kinds = new Set<string>()
  for (const { id, action, status } of records) {
    const kind = `${action} ${status}`
    if (kinds.has(kind)) continue
    kinds.add(kind)
    places[`the record of ${kind}`] = `#/requests/${id}`
  }
  const panels: Record<string, readonly [string, ...string[]]> = {}
  for (const [name, hash] of Object.entries(places)) {
    panels[name] = [hash]
    if (hasDeleteQuestion(name)) panels[`${name}, being deleted`] = [hash, 'Backspace']
    if (/^a (token with deep|token of|document)/.test(name)) panels[`${name}, revealed`] = [hash, 'r']
  }
  return panels
}

/** Returns whether the panel asks for confirmation before it deletes its item. */
function hasDeleteQuestion(name: string): boolean {
  return /^an? (token with everything|document|application with two|proxy with|disabled webhook)/.test(name)
}
