import type { JsonObject } from '../../../shared/json.ts'
import { createVaultStore } from '../connection/store.ts'
import { useLoaded } from '../connection/use-loaded.tsx'
import { host } from '../connection/vault.ts'
import { type ApiOperation, parseOperations } from './api-document.ts'

type ApiOperationsState = {
  readonly operations: readonly ApiOperation[]
  /** The schemas under `components`, by name. */
  readonly schemas: JsonObject
}

/** The operations of the HTTP API; empty until loaded. */
export const useOperations = createVaultStore<ApiOperationsState>(() => ({ operations: [], schemas: {} }))

/** The operations, which are loaded from the OpenAPI document once, and why they could not be. */
export function useLoadedOperations() {
  const { problem } = useLoaded(loadOperations)
  return { operations: useOperations(({ operations }) => operations), problem }
}

async function loadOperations(): Promise<void> {
  if (useOperations.getState().operations.length > 0) return
  const document = (await host.openApi()) as { components?: { schemas?: JsonObject } } & JsonObject
  useOperations.setState({
    operations: parseOperations(document),
    schemas: document.components?.schemas ?? {},
  })
}
