/** While nothing was told yet. */
export function Loading({ title }: { title: string }) {
  return (
    <section class="loading" aria-busy="true">
      <h1 class={title === '' ? 'hidden' : ''}>{title}</h1>
      <div class="ghost" />
      <div class="ghost" />
    </section>
  );
}
