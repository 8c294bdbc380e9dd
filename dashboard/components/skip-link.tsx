export function SkipLink() {
  return (
    <a class="skip" href="#main">
      Skip to content
    </a>
  );
}
