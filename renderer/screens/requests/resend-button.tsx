import { Button } from '@mantine/core'
import { useEffect } from 'react'
import type { FullLog } from '../../../shared/schemas/log.ts'
import { loadOperations, useOperations } from '../../parts/api/operations.ts'
import { keepLoaded } from '../../parts/connection/connection-state.ts'
import { handleBackgroundError } from '../../parts/connection/incidents.ts'
import { navigate } from '../../parts/navigation/route.ts'
import { Icon } from '../../ui/icon.tsx'
import { getResendHref } from './resend-href.ts'
import { strings } from './strings.ts'

/** Opens the form that sends a record's request again. */
export function ResendButton({ record }: { record: FullLog }) {
  const { operations } = useOperations()
  useEffect(() => keepLoaded(() => loadOperations().catch(handleBackgroundError)), [])
  const href = getResendHref(record, operations)
  if (href === null) return null
  return (
    <Button variant="default" leftSection={<Icon name="play" size={14} />} onClick={() => navigate(href)}>
      {strings.drawer.again}
    </Button>
  )
}
