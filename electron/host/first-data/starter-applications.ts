import { CofferError } from '../../../shared/errors.ts'
import type { ApplicationType, Permission } from '../../../shared/permissions.ts'
import { allowsNothing, mayHold, permissionNames } from '../../../shared/permissions.ts'
import type { NewApplication } from '../../../shared/schemas/application.ts'
import { owner } from '../../engine/door/call.ts'
import type { Engine } from '../../engine/engine.ts'

/** The keys of the starter applications, to be shown once. */
export type StarterKeys = { readonly management: string; readonly private: string; readonly public: string }

const management: readonly Permission[] = permissionNames.filter(
  (name) => mayHold('management', name) && !allowsNothing(name),
)

const starters: Record<keyof StarterKeys, NewApplication> = {
  management: { name: 'Management', type: 'management', permissions: [...management] },
  private: {
    name: 'Backend',
    type: 'private',
    rules: [
      {
        description: 'Writes return masked data',
        priority: 1,
        container: '/',
        transform: 'mask',
        permissions: ['token:create', 'token:update'],
      },
      {
        description: 'Reads return plaintext',
        priority: 2,
        container: '/',
        transform: 'reveal',
        permissions: [
          'token:read',
          'token:search',
          'token:delete',
          'token:use',
          'token-intent:create',
          'token-intent:read',
          'token-intent:delete',
          'documents:create',
          'documents:read',
          'documents:reveal',
          'documents:delete',
          '3ds:session:create',
          '3ds:session:read',
          '3ds:session:authenticate',
        ],
      },
    ],
  },
  public: {
    name: 'Browser',
    type: 'public',
    permissions: ['token:create', 'token-intent:create', '3ds:session:create'],
  },
}

/** The default permissions of an application of this type; `name` overrides its name. */
export function starterApplication(type: ApplicationType, name?: string): NewApplication {
  return { ...starters[type], ...(name !== undefined && { name }) }
}

/** Creates the three applications of a new vault and returns their keys. */
export async function createStarterApplications(engine: Engine): Promise<StarterKeys> {
  return {
    management: await createWithKey(engine, starters.management),
    private: await createWithKey(engine, starters.private),
    public: await createWithKey(engine, starters.public),
  }
}

/** Creates an application as the owner and returns its key. */
export async function createWithKey(engine: Engine, input: NewApplication): Promise<string> {
  const { key } = await engine.as(owner).applications.create(input)
  if (key === undefined) throw new CofferError('internal', 'The application was made without a key.')
  return key
}
