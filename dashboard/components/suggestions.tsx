import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';

interface Suggestion {
  label: ComponentChildren;
  choose: () => void;
}

interface SuggestionGroup {
  name: string;
  options: Suggestion[];
}

interface SuggestionsProps {
  /** Of the field. */
  label: string;
  hint: string;
  text: string;
  onText: (text: string) => void;
  groups: readonly SuggestionGroup[];
  /** What to say where there is none. */
  empty: string;
}

/** A field, and what typing into it finds: https://www.w3.org/WAI/ARIA/apg/patterns/combobox/ */
export function Suggestions({ label, hint, text, onText, groups, empty }: SuggestionsProps) {
  const id = useId();
  const [active, setActive] = useState(0);
  const options = groups.flatMap((group) => group.options);
  const at = Math.min(active, options.length - 1);
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.isComposing || options.length === 0 || (!step && event.key !== 'Enter')) return;
    event.preventDefault();
    if (!step) return options[at]?.choose();
    const next = (at + step + options.length) % options.length;
    setActive(next);
    document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={options.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={options.length > 0 ? `${id}-${at}` : undefined}
        autocomplete="off"
        maxLength={200}
        placeholder={hint}
        value={text}
        // A dialog that opens gives the focus to its first button otherwise.
        autofocus
        onInput={({ currentTarget }) => {
          onText(currentTarget.value);
          setActive(0);
        }}
        onKeyDown={press}
      />
      <div id={`${id}-list`} class="suggestions" role="listbox" aria-label={label}>
        {groups.map((group, place) => (
          // biome-ignore lint/a11y/useSemanticElements: a list box has groups, and no set of fields.
          <div key={place} role="group" aria-labelledby={`${id}-group-${place}`}>
            <div id={`${id}-group-${place}`} class="suggestions-head">
              <bdi>{group.name}</bdi>
            </div>
            {group.options.map((option) => {
              const index = options.indexOf(option);
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the field.
                // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus.
                <div
                  key={index}
                  id={`${id}-${index}`}
                  role="option"
                  aria-selected={index === at}
                  onPointerMove={() => setActive(index)}
                  onClick={option.choose}
                >
                  {option.label}
                </div>
              );
            })}
          </div>
        ))}
      </div>
      <p class={options.length === 0 ? 'empty' : 'unseen'} role="status">
        {options.length === 0 && empty}
      </p>
    </>
  );
}
