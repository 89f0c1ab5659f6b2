import { isNumber, isObject, type Json } from '../../../../shared/json.ts'
import { strings as tokens } from '../../../parts/tokens/strings.ts'
import { PropertyList, PropertyRow } from '../../../ui/panel.tsx'
import { MAX_VISIBLE_LENGTH, TruncationNote } from '../../../ui/text/code.tsx'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import heldStyles from '../../../ui/text/held.module.css'
import { JsonText } from '../../../ui/text/json-view.tsx'
import { MarkedSpan } from '../../../ui/text/marked-span.tsx'
import { Masked } from '../../../ui/text/masked.tsx'
import { strings } from '../strings.ts'
import styles from '../tokens.module.css'

type Props = {
  readonly data: Json | undefined
  readonly hasMask: boolean
  /** Whether the data is plaintext, which is shown on an amber background without dimmed members. */
  readonly open: boolean
}

/** The data of a token, one line per member. */
export function RevealedData({ data, hasMask, open }: Props) {
  if (data === undefined) {
    return (
      <div className={heldStyles.root}>
        <span className="faint">{hasMask ? tokens.leftOut : tokens.noMask}</span>
      </div>
    )
  }
  return (
    <div className={open ? `${heldStyles.root} ${heldStyles.open}` : heldStyles.root}>
      {isObject(data) && Object.values(data).every((value) => !isNested(value)) ? (
        <PropertyList>
          {Object.entries(data).map(([name, value]) => (
            <PropertyRow key={name} name={name}>
              <Value value={value} open={open} name={name} />
            </PropertyRow>
          ))}
        </PropertyList>
      ) : isNested(data) ? (
        <NestedData data={data} open={open} />
      ) : (
        <div className={styles.heldBig}>
          <Value value={data} open={open} name={strings.drawer.data} />
        </div>
      )}
    </div>
  )
}

function NestedData({ data, open }: { data: Json; open: boolean }) {
  const text = JSON.stringify(data, null, 2)
  return (
    <div className={styles.heldBox}>
      {open && (
        <span className={styles.heldCopy}>
          <CopyButton value={text} what={strings.drawer.data} secret />
        </span>
      )}
      <pre className={`mono ${styles.heldJson}`}>
        <JsonText text={text.slice(0, MAX_VISIBLE_LENGTH)} />
      </pre>
      <TruncationNote length={text.length} />
    </div>
  )
}

function isNested(value: Json): boolean {
  return typeof value === 'object' && !isNumber(value)
}

function Value({ value, open, name }: { value: Json; open: boolean; name: string }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const shown = text.slice(0, MAX_VISIBLE_LENGTH)
  return (
    <>
      {open ? (
        <span className={styles.heldValue}>
          <MarkedSpan text={shown} />
          <CopyButton value={text} what={name} secret />
        </span>
      ) : (
        <Masked text={shown} />
      )}
      <TruncationNote length={text.length} />
    </>
  )
}
