export const strings = {
  actors: {
    owner: 'Owner',
    vault: 'The vault itself',
    unknown: 'No valid key',
    cardholder: 'A cardholder',
    session: 'A session',
    proxy: 'A caller without a key',
    gone: 'A deleted application',
  },
  types: { private: 'private', public: 'public', management: 'management' },
  typeHelp: {
    private: 'A backend that can keep a key secret',
    public: 'A browser or mobile app, whose key anyone can see',
    management: 'Manages applications, the tenant and the log',
  },
  allowNothing: 'Permissions with no effect in Coffer',
  rule: {
    title: (priority: number) => `Rule ${priority}`,
    transforms: { redact: 'left out', mask: 'masked', reveal: 'plaintext' },
  },
  why: {
    callerMessage: 'Error sent to the caller',
    code: 'Code',
    key: 'The key was missing, unknown, deleted or expired. Create a new one in Applications and give it to the program.',
    title: 'Why it was refused',
    onContainers: (name: string, permission: string, containers: string) =>
      `${name} needs ${permission} on ${containers}, but nothing grants it.`,
    anywhere: (name: string, permission: string) => `${name} needs ${permission}, but nothing grants it.`,
    grantedNow: (note: string) => `It would be granted now: ${note}.`,
    considered: 'Rules considered',
    noRules: 'The application has no rules.',
    notCovers: 'another container',
    notGrants: (permission: string) => `does not grant ${permission}`,
    decides: 'decides',
    later: 'not reached',
    never: (type: string, permission: string) =>
      `A ${type} key can never have ${permission}, and no rule can grant it.`,
    use: (types: readonly string[]) => `Use the key of a ${types.join(' or ')} application:`,
    none: (types: readonly string[]) =>
      `Use the key of a ${types.join(' or ')} application. None has this permission yet.`,
    more: (n: number) => `and ${n} more`,
    create: 'New application',
    edit: 'Edit rules',
    editAsOwner: 'Edit rules as the owner',
  },
  history: { by: (name: string) => `by ${name}`, none: 'Nothing recorded yet.' },
  viewAs: {
    refused: (permission: string) => `Its key would get 403: this requires the permission ${permission}.`,
  },
} as const
