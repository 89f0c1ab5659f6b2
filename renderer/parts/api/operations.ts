import type { JsonObject } from '../../../shared/json.ts'
import { vaultStore } from '../connection/store.ts'
import { host } from '../connection/vault.ts'
import { type ApiOperation, operationsOf } from './api-document.ts'

type Known = {
  readonly operations: readonly ApiOperation[]
  /** What the operations' schemas refer to, by name. */
  readonly schemas: JsonObject
}

/** What programs can ask for; empty until it is read. */
export const useOperations = vaultStore<Known>(() => ({ operations: [], schemas: {} }))

/** Reads every operation from the OpenAPI document, once. */
export async function loadOperations(): Promise<void> {
  if (useOperations.getState().operations.length > 0) return
  const document = (await host.host.openApi()) as { components?: { schemas?: JsonObject } } & JsonObject
  useOperations.setState({
    operations: operationsOf(document),
    schemas: document.components?.schemas ?? {},
  })
}
