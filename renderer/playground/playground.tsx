/** Placeholder. */
export function Playground() {
  return (
    <div className="screen-head">
      <h1>Playground</h1>
    </div>
  )
}
