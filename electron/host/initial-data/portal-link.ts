import type { ApplicationType } from '../../../shared/permissions.ts'
import { newApplication } from '../../../shared/schemas/application.ts'
import { z } from '../../../shared/zod.ts'

const MAX_LENGTH = 8192

/** Types in links of earlier portals. */
const formerTypes: Readonly<Record<string, ApplicationType>> = {
  'server-to-server': 'private',
  server_to_server: 'private',
  elements: 'public',
}

/**
 * A link to the portal's form for a new application, such as
 * `https://…/applications/create?name=Backend&permissions=token%3Acreate&type=private`. Its output is the application
 * that the link describes, which is `private` if the link names no type (rule H-05).
 */
export const portalLink = z
  .preprocess(readLink, newApplication.pick({ name: true, type: true, permissions: true }))
  .meta({ type: 'string' })

function readLink(text: unknown, context: z.RefinementCtx): unknown {
  const link = typeof text === 'string' && text.length <= MAX_LENGTH ? URL.parse(text.trim()) : null
  if (!link || !/\/applications\/create\/?$/.test(link.pathname)) {
    context.addIssue('must be a portal link: https://…/applications/create?name=…&permissions=…&type=…')
    return z.NEVER
  }
  const { searchParams } = link
  if (searchParams.has('application_template_id') && !searchParams.has('permissions')) {
    context.addIssue('names a template, whose permissions only the portal knows; set permissions instead')
    return z.NEVER
  }
  // Links in texts are often followed by punctuation.
  const readAll = (name: string) => searchParams.getAll(name).map((each) => each.replace(/[\s.,;)]+$/, ''))
  const [type = 'private'] = readAll('type')
  const [name = 'From a portal link'] = readAll('name')
  const permissions = readAll('permissions').flatMap((each) => each.split(',').map(toPermission))
  return { name, type: formerTypes[type] ?? type, permissions: [...new Set(permissions)] }
}

/** Earlier permissions named a classification of the data and an impact, such as `token:pci:read:low`. */
function toPermission(name: string): string {
  return name
    .trim()
    .replace(/^token:(?:general|bank|pci|pii):(create|read|update|delete|use)(?::\w+)*$/, 'token:$1')
}
