import { Box, Button, Group } from '@mantine/core'
import { useState } from 'react'
import { formatExpiring } from '../../../../shared/expiring.ts'
import type { TextImportReport } from '../../../../shared/schemas/transfer.ts'
import { useViewAs } from '../../../parts/access/view-as.ts'
import { BulkDialog } from '../../../parts/bulk/bulk-dialog.tsx'
import { navigate } from '../../../parts/navigation/route.ts'
import { toHref } from '../../../parts/navigation/route-text.ts'
import { formatCreated } from '../../../parts/tokens/created-together.ts'
import { Caution } from '../../../ui/failure.tsx'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { saveText } from '../../../ui/text/save-text.ts'
import { strings } from './strings.ts'
import styles from './transfer.module.css'

const t = strings.import
const MAX_LISTED_LINES = 6

export function ImportReport({ report, name }: { report: TextImportReport; name: string }) {
  const { dry_run, created, refused, lines, expiring, together } = report
  const { as } = useViewAs()
  // Only the owner can list tokens by the request that created them.
  const linkedTokens = as === null ? together : null
  const [undoing, setUndoing] = useState<'no' | 'asked' | 'started'>('no')
  const count = created.toLocaleString('en')
  const remaining = refused - Math.min(lines.length, MAX_LISTED_LINES)
  const saveRefusedLines = () =>
    saveText(`${name}.refused.ndjson`, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return (
    <div className={styles.importReport} role="status">
      <strong>{dry_run ? t.wouldMake(count) : t.created(count)}</strong>{' '}
      <span className="dim">{refused === 0 ? t.noneRefused : t.refused(refused.toLocaleString('en'))}</span>
      {refused > 0 && (
        <ul className="bullets dim">
          {lines.slice(0, MAX_LISTED_LINES).map(({ line, message }) => (
            <li key={line}>{t.line(line, message)}</li>
          ))}
          {remaining > 0 && <li className="faint">{t.more(remaining.toLocaleString('en'))}</li>}
        </ul>
      )}
      {expiring && (
        <Box mt="sm">
          <Caution>{formatExpiring(expiring)}</Caution>
        </Box>
      )}
      {(refused > 0 || !dry_run) && (
        <Group gap="xs" mt="sm">
          {!dry_run && created > 0 && (
            <Button
              onClick={() =>
                navigate(toHref('tokens', null, linkedTokens ? { created: formatCreated(linkedTokens) } : {}))
              }
            >
              {linkedTokens ? t.show : t.showAll}
            </Button>
          )}
          {!dry_run && created > 0 && linkedTokens && (
            <ActionButton
              icon="undo"
              label={t.undo}
              disabled={undoing === 'started'}
              onClick={() => setUndoing('asked')}
            />
          )}
          {refused > 0 && <ActionButton label={t.saveRefused} onClick={saveRefusedLines} />}
        </Group>
      )}
      {undoing === 'asked' && linkedTokens && (
        <BulkDialog
          actionName="remove"
          selection={{ all: { created: linkedTokens }, except: [] }}
          keys={[]}
          onStart={() => setUndoing('started')}
          onClose={() => setUndoing('no')}
        />
      )}
    </div>
  )
}
