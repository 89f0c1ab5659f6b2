import { type ReactNode, useEffect } from 'react'
import type { ChangingEntity } from '../../../shared/entities.ts'
import { followChanges } from '../../parts/connection/change-subscription.ts'
import { LoadedView, useLoaded } from '../../parts/connection/use-loaded.tsx'
import styles from '../../ui/row-table.module.css'
import screenStyles from '../../ui/screen.module.css'

type Props<T> = {
  readonly read: () => Promise<T>
  readonly changing: readonly ChangingEntity[]
  readonly children: (value: T) => ReactNode
}

/** A view that loads its tables and follows their changes. `changing` must stay the same array. */
export function TableView<T>({ read, changing, children }: Props<T>) {
  const loaded = useLoaded(read)
  const { load } = loaded
  useEffect(() => followChanges(changing, load), [changing, load])
  return (
    <div className={`${screenStyles.scroll} ${styles.root}`}>
      <LoadedView of={loaded}>{children}</LoadedView>
    </div>
  )
}
