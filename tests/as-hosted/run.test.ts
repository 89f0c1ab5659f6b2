import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { startCoffer } from '../cli/run-coffer.ts'
import { createTempFolder } from '../vault.ts'

/** Nodes of this machine: the one that runs the tests, and the system's, which is older. */
const nodes = [process.execPath, '/usr/bin/node'].filter((node) => fs.existsSync(node))

/** Runs a script with `coffer run --as-hosted` and returns the JSON that it prints. */
async function runScript(node: string, script: string, ...options: string[]) {
  const file = path.join(createTempFolder(), 'script.mjs')
  fs.writeFileSync(file, script)
  const run = startCoffer([
    'run',
    '--as-hosted',
    '--data-dir',
    createTempFolder(),
    ...options,
    '--',
    node,
    file,
  ])
  const printed = await run.json()
  expect(await run.ended).toBe(0)
  return printed
}

test.each(nodes)('H-01 a program of %s calls the service by its own names', async (node) => {
  const printed = await runScript(
    node,
    `
    import https from 'node:https'
    const get = (url, options) => new Promise((resolve, reject) => https.get(url, options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    }).on('error', reject))
    const key = process.env.COFFER_API_KEY
    const created = await fetch('https://api.basistheory.com/tokens', {
      method: 'POST',
      headers: { 'BT-API-KEY': key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ type: 'token', data: 'x' }),
    })
    const { id } = await created.json()
    const headers = { 'BT-API-KEY': key }
    const webhooks = await fetch('https://cdn.basistheory.com/keys/webhooks.v1.key')
    const echo = await fetch('https://echo.basistheory.com/anything?a=1', { method: 'POST', body: 'text' })
    console.log(JSON.stringify({
      created: created.status,
      agent: await get('https://api.test.basistheory.com/tokens/' + id, { headers, agent: new https.Agent() }),
      same: await get('https://js.basistheory.com/api/tokens/' + id, { headers }),
      missing: await get('https://js.basistheory.com/tokens/' + id, { headers }),
      webhooks: (await webhooks.text()).split('\\n')[0],
      echo: await echo.json(),
    }))`,
  )
  expect(printed).toMatchObject({
    created: 201,
    agent: 200,
    same: 200,
    missing: 404,
    webhooks: '-----BEGIN PUBLIC KEY-----',
    echo: {
      method: 'POST',
      url: 'https://echo.basistheory.com/anything?a=1',
      args: { a: '1' },
      data: 'text',
      headers: { Host: 'echo.basistheory.com' },
    },
  })
})

test('H-02 the files of a run are private, hold no key, and are removed at its end', async () => {
  const printed = await runScript(
    process.execPath,
    `
    import fs from 'node:fs'
    import path from 'node:path'
    const folder = path.dirname(process.env.SSL_CERT_FILE)
    const all = fs.readdirSync(folder, { recursive: true }).map((name) => path.join(folder, name))
    const files = all.filter((file) => fs.statSync(file).isFile())
    const modes = [folder, ...all].map((file) => (fs.statSync(file).mode & 0o777).toString(8))
    const hasKey = files.some((file) => fs.readFileSync(file, 'latin1').includes('PRIVATE KEY'))
    console.log(JSON.stringify({ folder, modes: [...new Set(modes)], hasKey }))`,
  )
  expect(printed).toEqual({ folder: expect.any(String), modes: ['700', '600'], hasKey: false })
  expect(fs.existsSync(printed.folder)).toBe(false)
})

test('H-03 a refused destination is printed once, because clients hide the reason', async () => {
  const script = `
    import net from 'node:net'
    const { hostname, port } = new URL(process.env.HTTPS_PROXY)
    for (const _ of [1, 2]) {
      const socket = net.connect(port, hostname)
      socket.write('CONNECT outside.example:443 HTTP/1.1\\r\\nHost: outside.example:443\\r\\n\\r\\n')
      await new Promise((resolve) => socket.once('data', resolve))
      socket.destroy()
    }`
  const file = path.join(createTempFolder(), 'script.mjs')
  fs.writeFileSync(file, script)
  const words = ['run', '--as-hosted', '--data-dir', createTempFolder(), '--', process.execPath, file]
  const run = startCoffer(words)
  expect(await run.ended).toBe(0)
  expect(
    run.lines.filter((line) =>
      /outside\.example:443 was refused\. .*--allow-destination outside\.example$/.test(line),
    ),
  ).toHaveLength(1)
})
