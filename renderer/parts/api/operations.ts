import type { JsonObject } from '../../../shared/json.ts'
import { vaultStore } from '../connection/store.ts'
import { host } from '../connection/vault.ts'
import { type ApiOperation, operationsOf } from './api-document.ts'

type Known = {
  readonly operations: readonly ApiOperation[]
  /** The shared schemas that the operations reference, by name. */
  readonly schemas: JsonObject
}

/** The operations programs can call; empty until loaded. */
export const useOperations = vaultStore<Known>(() => ({ operations: [], schemas: {} }))

/** Loads every operation from the OpenAPI document, once. */
export async function loadOperations(): Promise<void> {
  if (useOperations.getState().operations.length > 0) return
  const document = (await host.host.openApi()) as { components?: { schemas?: JsonObject } } & JsonObject
  useOperations.setState({
    operations: operationsOf(document),
    schemas: document.components?.schemas ?? {},
  })
}
