/** Placeholder. */
export function Tokens() {
  return (
    <div className="screen-head">
      <h1>Tokens</h1>
    </div>
  )
}
