import { Button } from '@mantine/core'
import { useEffect } from 'react'
import type { FullLog } from '../../../shared/schemas/log.ts'
import { loadOperations, useOperations } from '../../parts/api/operations.ts'
import { passOver } from '../../parts/connection/incidents.ts'
import { keepLoaded } from '../../parts/connection/reach.ts'
import { go } from '../../parts/navigation/route.ts'
import { Icon } from '../../ui/icon.tsx'
import { againHref } from './again-href.ts'
import { strings } from './strings.ts'

/** Opens the builder with the request of a record. */
export function SendAgain({ record }: { record: FullLog }) {
  const { operations } = useOperations()
  useEffect(() => keepLoaded(() => loadOperations().catch(passOver)), [])
  const href = againHref(record, operations)
  if (href === null) return null
  return (
    <Button variant="default" leftSection={<Icon name="play" size={14} />} onClick={() => go(href)}>
      {strings.drawer.again}
    </Button>
  )
}
