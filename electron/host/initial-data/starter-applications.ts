import { CofferError } from '../../../shared/errors.ts'
import type { ApplicationType } from '../../../shared/permissions.ts'
import type { NewApplication } from '../../../shared/schemas/application.ts'
import { type Engine, owner, starters } from '../../engine/index.ts'

/** The keys of the starter applications. They are shown once. */
export type StarterKeys = { readonly management: string; readonly private: string; readonly public: string }

/** Returns an application of this type with its default permissions. `name` overrides its name. */
export function createStarterApplication(type: ApplicationType, name?: string): NewApplication {
  const { permissions, rules, ...template } = starters[type]
  return { name: name ?? template.name, type, permissions, rules }
}

/** Creates the three applications of a new vault and returns their keys. */
export async function createStarterApplications(engine: Engine): Promise<StarterKeys> {
  return {
    management: await createWithKey(engine, createStarterApplication('management')),
    private: await createWithKey(engine, createStarterApplication('private')),
    public: await createWithKey(engine, createStarterApplication('public')),
  }
}

/** Creates an application as the owner and returns its key. */
export async function createWithKey(engine: Engine, input: NewApplication): Promise<string> {
  const { key } = await engine.as(owner).applications.create(input)
  if (key === undefined) throw new CofferError('internal', 'The application was created without a key.')
  return key
}
