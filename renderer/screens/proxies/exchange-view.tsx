import type { Exchange, ExchangeMessage } from '../../../shared/schemas/exchange.ts'
import { useProxies } from '../../parts/access/resource-lists.ts'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { getRecordsHref } from '../../parts/navigation/records-href.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { PropertyList, PropertyRow } from '../../ui/panel.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { Code } from '../../ui/text/code.tsx'
import { indentJson } from '../../ui/text/indent-json.ts'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Masked } from '../../ui/text/masked.tsx'
import { formatDuration } from '../../ui/time/milliseconds.ts'
import { Time } from '../../ui/time/time.tsx'
import styles from './proxies.module.css'
import { strings } from './strings.ts'

const t = strings.exchange

/** One proxied call: the program's request, the outgoing request, and the response, side by side. */
export function ExchangeView({ exchange }: { exchange: Exchange }) {
  const { sent, went_out, came_back, handed_back, problem } = exchange
  return (
    <section aria-label={t.label}>
      <Head exchange={exchange} />
      <div className={styles.exchangeSides}>
        <Side title={t.sent}>
          <Line method={sent.method} url={sent.url} />
          <Message of={sent} what={t.sent} />
        </Side>
        <Side title={t.wentOut}>
          {went_out ? (
            <>
              <Line method={went_out.method} url={went_out.url} />
              <Message of={went_out} what={t.wentOut} />
            </>
          ) : (
            <p className="faint">{t.notSent}</p>
          )}
        </Side>
        <Side title={t.cameBack}>
          {problem && (
            <p>
              <span className="faint">{t.programGot}</span> <StatusChip status={problem.status} />{' '}
              {problem.detail}
            </p>
          )}
          {came_back ? (
            <>
              <div className={styles.exchangeLine}>
                <span className="faint">{t.answered}</span> <StatusChip status={came_back.status} />
              </div>
              <Message of={came_back} what={t.cameBack} />
            </>
          ) : (
            !problem && <p className="faint">{t.noAnswer}</p>
          )}
          {handed_back && (
            <>
              <h3>{t.handedBack}</h3>
              <Message of={handed_back} what={t.handedBack} />
            </>
          )}
        </Side>
      </div>
    </section>
  )
}

function Head({ exchange }: { exchange: Exchange }) {
  const { proxy_id, host, token_ids, duration_ms, created_at, trace_id } = exchange
  const { rows: proxies, loaded } = useProxies()
  const proxy = proxies.find(({ id }) => id === proxy_id)
  return (
    <div className={styles.exchangeHead}>
      <span>
        <span className="faint">{t.proxy}</span>{' '}
        {proxy ? (
          <LinkButton to={toHref('proxies', proxy.id)} label={<MarkedText text={proxy.name} />} />
        ) : proxy_id === null ? (
          strings.exchanges.ephemeral
        ) : (
          loaded && strings.exchanges.gone
        )}
      </span>
      <span>
        <span className="faint">{t.destination}</span> <span className="mono">{host}</span>
      </span>
      <span>
        <span className="faint">{t.tokens}</span> {token_ids.length === 0 && t.noTokens}
        {token_ids.map((id) => (
          <LinkButton key={id} to={toHref('tokens', id)} mono label={`${id} `} />
        ))}
      </span>
      <span>
        <span className="faint">{t.took}</span> {formatDuration(duration_ms)}
      </span>
      <span>
        <span className="faint">{t.when}</span> <Time at={created_at} />
      </span>
      <LinkButton to={getRecordsHref([{ field: 'trace', value: trace_id }])} label={t.record} />
    </div>
  )
}

function Side({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section className={styles.exchangeSide} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

function Line({ method, url }: { method: string; url: string }) {
  return (
    <div className={`${styles.exchangeLine} mono`}>
      <span>
        <strong>{method}</strong> <Masked text={url} />
      </span>
    </div>
  )
}

/** Shows headers and body. SECURITY: rendered as text only, because a destination may respond with HTML. */
function Message({ of: { headers, body }, what }: { of: ExchangeMessage; what: string }) {
  const lines = headers.map(([name, value], at) => ({ name, value, at }))
  return (
    <>
      <details>
        <summary>{t.headers(headers.length)}</summary>
        <PropertyList>
          {lines.map(({ name, value, at }) => (
            <PropertyRow key={at} name={name}>
              <span className="mono">
                <Masked text={value} />
              </span>
            </PropertyRow>
          ))}
        </PropertyList>
      </details>
      {body.text === null ? (
        <p className="faint">{t.omitted[body.omitted ?? 'none']}</p>
      ) : (
        <Code text={body.text} what={what} wrap>
          <Masked text={indentJson(body.text)} />
        </Code>
      )}
      {body.cut && <p className="help">{t.cut}</p>}
    </>
  )
}
