import { Box, Button, Group, Popover } from '@mantine/core'
import { useEffect } from 'react'
import { DeniedReason } from '../../../parts/access/denied-reason.tsx'
import { useViewAs } from '../../../parts/access/view-as.ts'
import bulkStyles from '../../../parts/bulk/bulk-strip.module.css'
import { useUnsavedScreen } from '../../../parts/navigation/unsaved.ts'
import { Failure } from '../../../ui/failure.tsx'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { useKeys } from '../../../ui/keys/use-keys.ts'
import { MarkedText } from '../../../ui/text/marked-text.tsx'
import { Difference } from '../forms/difference.tsx'
import { strings } from '../strings.ts'
import styles from '../tokens.module.css'
import { describeEditProblem } from './edit-cells.ts'
import { countChanges, type TokenEdit } from './edit-changes.ts'
import { discardEdits, overwriteConflict, saveEdits, useTokenEdits } from './token-edits.ts'

const t = strings.edits

/** The bar with the unsaved changes of the list: how many, what they are, save and discard. */
export function EditBar() {
  const { edits, isSaving } = useTokenEdits()
  const all = Object.values(edits)
  const isEmpty = all.length === 0
  useUnsavedScreen('tokens', !isEmpty)
  const as = useViewAs((state) => state.as?.id)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view has its own tokens
  useEffect(() => () => discardEdits(), [as])
  // Also without changes, because the cell being edited hands its text over with this key.
  useKeys({ 'mod+s': () => void saveEdits() })
  if (isEmpty) return null
  const changes = countChanges(all)
  const unsaved = all.filter(({ conflict, problem }) => conflict !== null || problem !== null).length
  return (
    <section className={bulkStyles.bar} aria-label={t.bar}>
      <strong role="status">{t.changes(changes, all.length)}</strong>
      {unsaved > 0 && (
        <Box component="span" role="alert" c="var(--red-text)">
          {t.unsaved(unsaved)}
        </Box>
      )}
      <span className="space" />
      <Popover width={420} position="top-end" trapFocus returnFocus>
        <Popover.Target>
          <ActionButton label={t.preview} size="compact-sm" />
        </Popover.Target>
        <Popover.Dropdown aria-label={t.preview} className={styles.editPreview}>
          {all.map((edit) => (
            <EditPreview key={edit.base.id} edit={edit} />
          ))}
        </Popover.Dropdown>
      </Popover>
      <ActionButton label={t.discard} size="compact-sm" onClick={() => discardEdits()} />
      <Button size="compact-sm" loading={isSaving} onClick={() => void saveEdits()}>
        {t.save(changes)}
      </Button>
    </section>
  )
}

function EditPreview({ edit }: { edit: TokenEdit }) {
  const { base, patch, conflict, problem } = edit
  const { id } = base
  return (
    <section className={styles.editOne}>
      <h2 className="mono clip" title={id}>
        <MarkedText text={id} />
      </h2>
      <Difference token={conflict ?? base} patch={patch} />
      {problem !== null && <Failure>{describeEditProblem(problem)}</Failure>}
      <DeniedReason problem={problem} on={{ token_id: id }} />
      {(conflict || problem !== null) && (
        <Group gap={6} c="var(--red-text)" fz={12}>
          {conflict && <span>{t.conflict}</span>}
          <ActionButton label={t.discardOne} size="compact-xs" onClick={() => discardEdits(id)} />
          {conflict && (
            <ActionButton label={t.overwrite} size="compact-xs" onClick={() => overwriteConflict(id)} />
          )}
        </Group>
      )}
    </section>
  )
}
