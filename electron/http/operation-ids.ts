/**
 * The ids that do not follow from the names of the operations. They are those of the service's own OpenAPI document, or
 * fit in with them, so that a client that is generated from either document has the same methods (rule A-16).
 */
const officialIds: Readonly<Record<string, string>> = {
  'applications.regenerate': 'Applications_RegenerateKey',
  'invitations.create': 'Tenants_CreateInvitation',
  'invitations.get': 'Tenants_GetInvitationById',
  'invitations.list': 'Tenants_GetInvitations',
  'invitations.remove': 'Tenants_DeleteInvitation',
  'invitations.resend': 'Tenants_ResendInvitation',
  'keys.create': 'ApplicationKeys_Create',
  'keys.get': 'ApplicationKeys_GetById',
  'keys.list': 'ApplicationKeys_Get',
  'keys.remove': 'ApplicationKeys_Delete',
  'members.getOwner': 'Tenants_OwnerGet',
  'members.list': 'Tenants_GetMembers',
  'members.remove': 'Tenants_DeleteMember',
  'members.transferOwner': 'Tenants_OwnerTransfer',
  'members.update': 'Tenants_UpdateMember',
  'reactors.results': 'Reactors_ResultGetById',
  'tenants.getUsageReport': 'Tenants_GetTenantUsageReport',
  'threeDs.authenticate': 'ThreeDS_ThreeDSAuthenticateSession',
  'threeDs.create': 'ThreeDS_ThreeDSCreateSession',
  'threeDs.get': 'ThreeDS_ThreeDSGetSessionById',
  'threeDs.getChallengeResult': 'ThreeDS_ThreeDSGetChallengeResult',
  'tokens.detokenize': 'Detokenize_Detokenize',
  'tokens.list': 'Tokens_GetV2',
  'tokens.listV1': 'Tokens_Get',
  'tokens.search': 'Tokens_SearchV2',
  'tokens.searchV1': 'Tokens_Search',
  'tokens.tokenize': 'Tokenize_Tokenize',
}

/**
 * Returns the id of an operation in the OpenAPI document (rule A-16), and its name, by which the log, faults and the
 * window know it.
 */
export function identifyOperation(name: string, path: string) {
  const [resource = '', verb = ''] = name.split('.')
  const operationId = officialIds[name] ?? `${capitalizeWord(resource)}_${toOfficialVerb(verb, path)}`
  return { operationId, 'x-operation-name': name }
}

/** The service's own document gets lists by `Get`, and single objects by `GetById`. */
function toOfficialVerb(verb: string, path: string): string {
  if (verb === 'remove') return 'Delete'
  if (verb === 'list') return 'Get'
  if (verb === 'get' && path.endsWith('}')) return 'GetById'
  return capitalizeWord(verb)
}

function capitalizeWord(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
