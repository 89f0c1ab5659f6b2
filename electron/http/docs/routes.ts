import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Guard } from '../guard.ts'
import { openApi } from '../openapi.ts'
import { getOwnOrigin } from '../own-origin.ts'
import { createDocsPage } from './page.ts'

/** Adds the pages and the document that describe the API. */
export function addDocsRoutes(app: FastifyInstance, guard: () => Guard): void {
  app.get('/', (request, reply) => sendWelcome(reply.header('Vary', 'Accept'), request))
  app.get('/openapi.json', ({ raw }) => openApi(getOwnOrigin(raw), guard()))
  app.get('/docs', (request, reply) => {
    const { headers, html } = createDocsPage(getOwnOrigin(request.raw))
    return reply.headers(headers).send(html)
  })
}

/**
 * Redirects a browser to the reference, and sends a program the URLs of the reference and other resources (rule A-04).
 */
function sendWelcome(reply: FastifyReply, { headers, raw }: FastifyRequest): FastifyReply {
  if (headers.accept?.includes('text/html')) return reply.redirect('/docs')
  const url = getOwnOrigin(raw)
  return reply.send({
    name: 'Coffer',
    description: 'A local stand-in for a hosted tokenization service.',
    docs: `${url}/docs`,
    openapi: `${url}/openapi.json`,
    health: `${url}/_coffer/health`,
    ready: `${url}/_coffer/ready`,
  })
}
