/** Signs in to a console with its launch link. Returns a function that runs a host command and returns its output. */
export async function openConsole(link: string): Promise<(name: string, input?: object) => Promise<unknown>> {
  const { origin, hash } = new URL(link)
  const headers = { Origin: origin, 'Content-Type': 'application/json' }
  const postToConsole = (path: string, body: object, cookie = '') =>
    fetch(`${origin}/_coffer/console/${path}`, {
      method: 'POST',
      headers: { ...headers, Cookie: cookie },
      body: JSON.stringify(body),
    })
  const launched = await postToConsole('launch', { token: hash.slice('#launch='.length) })
  const cookie = (launched.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? ''
  return async (name, input = {}) => {
    const response = await postToConsole('call', { name, input }, cookie)
    const reply = (await response.json()) as { ok: boolean; output?: unknown; problem?: { detail: string } }
    if (!reply.ok) throw new Error(`${name}: ${reply.problem?.detail ?? response.status}`)
    return reply.output
  }
}
