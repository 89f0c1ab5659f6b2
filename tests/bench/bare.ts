import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** A response, as bytes. */
export type Wire = {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

type Answers = { readonly GET: Wire; readonly POST: Wire }

// A bare node:http server: parses the request and sends the same bytes for every request with the same method.
process.once('message', ({ GET, POST }: Answers) => {
  const [got, posted] = [Buffer.from(GET.body), Buffer.from(POST.body)]
  const server = http.createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(GET.status, GET.headers)
      response.end(got)
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString())
      response.writeHead(POST.status, POST.headers)
      response.end(posted)
    })
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
})
