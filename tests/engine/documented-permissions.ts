/**
 * The permissions of each route as the documents of the hosted service name them, or as docs/rules.md decides; a caller
 * needs one of them. Written from the documents, so that a route without a line here, or with another permission in the
 * catalogue, fails a test.
 */
const documented = `
POST   /tokens                                     token:create
GET    /tokens                                     token:read
GET    /v2/tokens                                  token:read
POST   /tokens/search                              token:search token:read
POST   /v2/tokens/search                           token:search token:read
GET    /tokens/{}                                  token:read
PATCH  /tokens/{}                                  token:update
DELETE /tokens/{}                                  token:delete
POST   /tokenize                                   token:create
POST   /detokenize                                 token:read
POST   /token-intents                              token-intent:create
GET    /token-intents/{}                           token-intent:read
DELETE /token-intents/{}                           token-intent:delete
POST   /enrichments/bank-account-verify            token:use
GET    /enrichments/card-details                   any
POST   /applications                               application:create
GET    /applications                               application:read
GET    /applications/{}                            application:read
GET    /applications/key                           application:read
PUT    /applications/{}                            application:update
DELETE /applications/{}                            application:delete
POST   /applications/{}/regenerate                 any
POST   /applications/{}/keys                       application:create
GET    /applications/{}/keys                       application:read
GET    /applications/{}/keys/{}                    application:read
DELETE /applications/{}/keys/{}                    application:delete
GET    /application-templates                      any
GET    /application-templates/{}                   any
GET    /permissions                                any
GET    /roles                                      any
GET    /logs                                       log:read
GET    /logs/entity-types                          log:read
GET    /tenants/self                               tenant:read
PUT    /tenants/self                               tenant:update
DELETE /tenants/self                               none
GET    /tenants/self/security-contact              tenant:read
PUT    /tenants/self/security-contact              tenant:update
GET    /tenants/self/owner                         tenant:member:read tenant:read
PUT    /tenants/self/owner                         tenant:member:update tenant:update
GET    /tenants/self/members                       tenant:member:read
PUT    /tenants/self/members/{}                    tenant:member:update
DELETE /tenants/self/members/{}                    tenant:member:delete
GET    /tenants/self/reports/usage                 report:read
POST   /tenants/self/invitations                   tenant:invitation:create
GET    /tenants/self/invitations                   tenant:invitation:read
GET    /tenants/self/invitations/{}                tenant:invitation:read
DELETE /tenants/self/invitations/{}                tenant:invitation:delete
POST   /tenants/self/invitations/{}/resend         tenant:invitation:create tenant:invitation:update
POST   /tenants/self/connections                   tenant:update connections:create
DELETE /tenants/self/connections                   tenant:update connections:delete
POST   /tenants/{}/merchants                       tenant:merchant:create
GET    /tenants/{}/merchants                       tenant:merchant:read
GET    /tenants/{}/merchants/{}                    tenant:merchant:read
PATCH  /tenants/{}/merchants/{}                    tenant:merchant:update
DELETE /tenants/{}/merchants/{}                    tenant:merchant:delete
POST   /tenants/{}/merchants/{}/services           tenant:merchant:update
POST   /proxies                                    proxy:create
GET    /proxies                                    proxy:read
GET    /proxies/{}                                 proxy:read
PUT    /proxies/{}                                 proxy:update
PATCH  /proxies/{}                                 proxy:update
DELETE /proxies/{}                                 proxy:delete
POST   /proxy                                      proxy:invoke token:use
POST   /reactors                                   reactor:create
GET    /reactors                                   reactor:read
GET    /reactors/{}                                reactor:read
PUT    /reactors/{}                                reactor:update
PATCH  /reactors/{}                                reactor:update
DELETE /reactors/{}                                reactor:delete
POST   /reactors/{}/react                          reactor:invoke token:use
POST   /reactors/{}/react-async                    reactor:invoke token:use
GET    /reactors/{}/results/{}                     reactor:invoke token:use
POST   /webhooks                                   webhooks:create webhook:create
GET    /webhooks                                   webhooks:read webhook:read
GET    /webhooks/{}                                webhooks:read webhook:read
PUT    /webhooks/{}                                webhooks:update webhook:update
DELETE /webhooks/{}                                webhooks:delete webhook:delete
GET    /webhooks/event-types                       webhooks:read webhook:read
POST   /keys                                       keys:create
GET    /keys                                       keys:read
GET    /keys/{}                                    keys:read
DELETE /keys/{}                                    keys:delete
POST   /documents                                  documents:create
GET    /documents/{}                               documents:read
GET    /documents/{}/data                          documents:reveal
DELETE /documents/{}                               documents:delete
POST   /3ds/sessions                               3ds:session:create
GET    /3ds/sessions/{}                            3ds:session:read
POST   /3ds/sessions/{}/authenticate               3ds:session:authenticate
GET    /3ds/sessions/{}/challenge-result           3ds:session:authenticate
POST   /account-updater/jobs                       account-updater:job:create
GET    /account-updater/jobs                       account-updater:job:read
GET    /account-updater/jobs/{}                    account-updater:job:read
POST   /account-updater/real-time                  account-updater:real-time:invoke
POST   /apple-pay                                  apple-pay:create
GET    /apple-pay/{}                               apple-pay:read apple-pay:reveal
DELETE /apple-pay/{}                               apple-pay:delete
POST   /apple-pay/session                          apple-pay:session
POST   /apple-pay/domain-registration              apple-pay:manage
PUT    /apple-pay/domain-registration              apple-pay:manage
GET    /apple-pay/domain-registration              apple-pay:manage
POST   /apple-pay/domain-deregistration            apple-pay:manage
POST   /apple-pay/merchant-registration            apple-pay:manage
GET    /apple-pay/merchant-registration/{}         apple-pay:manage
DELETE /apple-pay/merchant-registration/{}         apple-pay:manage
POST   /apple-pay/merchant-registration/{}/certificates      apple-pay:manage
GET    /apple-pay/merchant-registration/{}/certificates/{}   apple-pay:manage
DELETE /apple-pay/merchant-registration/{}/certificates/{}   apple-pay:manage
POST   /google-pay                                 google-pay:create
GET    /google-pay/{}                              google-pay:read google-pay:reveal
DELETE /google-pay/{}                              google-pay:delete
POST   /google-pay/merchant-registration           google-pay:manage
GET    /google-pay/merchant-registration/{}        google-pay:manage
DELETE /google-pay/merchant-registration/{}        google-pay:manage
POST   /google-pay/merchant-registration/{}/certificates     google-pay:manage
GET    /google-pay/merchant-registration/{}/certificates/{}  google-pay:manage
DELETE /google-pay/merchant-registration/{}/certificates/{}  google-pay:manage
POST   /network-tokens                             network-token:create network_token:create
GET    /network-tokens/{}                          network-token:read network-token:reveal
DELETE /network-tokens/{}                          network-token:delete
POST   /network-tokens/{}/cryptogram               network-token:cryptogram
PUT    /network-tokens/{}/suspend                  network-token:suspend network-token:update
PUT    /network-tokens/{}/resume                   network-token:resume network-token:update
GET    /network-tokens/{}/account                  network-token:read
POST   /agentic/agents                             agent:create
GET    /agentic/agents/{}                          agent:get
PATCH  /agentic/agents/{}                          agent:update
DELETE /agentic/agents/{}                          agent:delete
POST   /agentic/enrollments                        enrollment:create
GET    /agentic/enrollments                        enrollment:get
GET    /agentic/enrollments/{}                     enrollment:get
DELETE /agentic/enrollments/{}                     enrollment:delete
POST   /agentic/enrollments/{}/retry               enrollment:create
POST   /agentic/enrollments/{}/verify              enrollment:verify
POST   /agentic/enrollments/{}/verify/method       enrollment:verify
POST   /agentic/enrollments/{}/verify/otp          enrollment:verify
POST   /agentic/enrollments/{}/verify/complete     enrollment:verify
POST   /agentic/agents/{}/instructions             agent:instruction:create
GET    /agentic/agents/{}/instructions             agent:instruction:get
GET    /agentic/agents/{}/instructions/{}          agent:instruction:get
PATCH  /agentic/agents/{}/instructions/{}          agent:instruction:update
DELETE /agentic/agents/{}/instructions/{}          agent:instruction:delete
POST   /agentic/agents/{}/instructions/{}/verify          agent:instruction:verify
POST   /agentic/agents/{}/instructions/{}/verify/passkey  agent:instruction:verify
POST   /agentic/agents/{}/instructions/{}/credentials     agent:instruction:credentials
POST   /agentic/agents/{}/instructions/{}/confirmations   agent:instruction:credentials
POST   /sessions                                   public
POST   /sessions/authorize                         private
`

/** The later steps of a call, which have no route: the host calls them for the caller of the route. */
const steps: Readonly<Record<string, string>> = {
  'proxies.transform': 'any',
  'proxies.transformAndTokenize': 'any',
  'reactors.finish': 'reactor:invoke token:use',
  'reactors.keep': 'reactor:invoke token:use',
}

const byRoute: ReadonlyMap<string, readonly string[]> = new Map(
  documented
    .trim()
    .split('\n')
    .map((line) => {
      const [method, path, ...permissions] = line.split(/ +/)
      return [`${method} ${path}`, permissions] as const
    }),
)

const toPattern = (route: string) => route.replaceAll(/\{\w+\}/g, '{}')

/** Returns the documented routes that none of these are. */
export function listUnknownRoutes(routes: readonly string[]): string[] {
  const known = new Set(routes.map(toPattern))
  return [...byRoute.keys()].filter((route) => !known.has(route))
}

/**
 * Returns what an operation needs: permissions, of which one suffices; `any` valid key; a `public` or `private`
 * application; `none` if no key may call it. Undefined for a route without documents.
 */
export function getDocumentedNeed(name: string, route: string | null): readonly string[] | undefined {
  if (route !== null) return byRoute.get(toPattern(route))
  // P-12: the rest is the owner's.
  return (steps[name] ?? 'none').split(' ')
}
