import type { ReactNode } from 'react'
import type { ChangingEntity } from '../../../shared/entities.ts'
import { LoadedView, useLoaded } from '../../parts/connection/use-loaded.tsx'
import styles from '../../ui/row-table.module.css'
import screenStyles from '../../ui/screen.module.css'

type Props<T> = {
  readonly read: () => Promise<T>
  readonly changing: readonly ChangingEntity[]
  readonly children: (value: T) => ReactNode
}

/** A view that loads its tables and follows their changes. */
export function TableView<T>({ read, changing, children }: Props<T>) {
  const loaded = useLoaded(read, { follows: changing })
  return (
    <div className={`${screenStyles.scroll} ${styles.root}`}>
      <LoadedView of={loaded}>{children}</LoadedView>
    </div>
  )
}
