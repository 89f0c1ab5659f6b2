import type { ChangingEntity } from '../../../shared/entities.ts'
import { keepCurrent } from './change-subscription.ts'
import { createRequestGuard } from './request-guard.ts'
import { createVaultStore } from './store.ts'

/** Creates the shared store of what is loaded as a whole, and again whenever these entities change. */
export function createFollowedValue<T extends object>(
  initial: T,
  entities: readonly ChangingEntity[],
  read: () => Promise<Partial<T>>,
) {
  const useValue = createVaultStore<T>(() => initial)
  const readings = createRequestGuard()
  /** Throws the vault's error. */
  async function loadValue(): Promise<void> {
    const isCurrent = readings.repeat()
    const value = await read()
    if (isCurrent()) useValue.setState(value)
  }
  return { useValue, load: loadValue, follow: () => keepCurrent(loadValue, entities) }
}
