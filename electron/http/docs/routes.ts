import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { openApi } from '../openapi.ts'
import { createDocsPage } from './page.ts'

/** Adds the pages and the document that describe the API. */
export function addDocsRoutes(app: FastifyInstance): void {
  app.get('/', (request, reply) => sendWelcome(reply.header('Vary', 'Accept'), request.headers))
  app.get('/openapi.json', ({ headers }) => openApi(`http://${headers.host}`))
  app.get('/docs', (request, reply) => {
    const { headers, html } = createDocsPage(`http://${request.headers.host}`)
    return reply.headers(headers).send(html)
  })
}

/**
 * Redirects a browser to the reference, and sends a program the URLs of the reference and other resources (rule A-04).
 */
function sendWelcome(reply: FastifyReply, { accept = '', host }: IncomingHttpHeaders): FastifyReply {
  if (accept.includes('text/html')) return reply.redirect('/docs')
  const url = `http://${host}`
  return reply.send({
    name: 'Coffer',
    description: 'A local stand-in for a hosted tokenization service.',
    docs: `${url}/docs`,
    openapi: `${url}/openapi.json`,
    health: `${url}/_coffer/health`,
    ready: `${url}/_coffer/ready`,
  })
}
