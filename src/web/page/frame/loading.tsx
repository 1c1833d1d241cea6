/** Shown until the first data arrives. */
export function Loading({ title }: { title: string }) {
  return (
    <section class="loading" aria-busy="true">
      {title === '' ? null : <h1>{title}</h1>}
      <div class="ghost" />
      <div class="ghost" />
    </section>
  );
}
