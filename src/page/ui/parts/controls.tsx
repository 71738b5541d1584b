import { type Signal, useSignal } from "@preact/signals";
import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { notify } from "../state/api.ts";
import { Icon, type IconName } from "./icons.tsx";

/** Sets a signal, as an expression. */
export function set<T>(signal: Signal<T>, value: T): void {
  signal.value = value;
}

interface ButtonProps
  extends Pick<ButtonHTMLAttributes<HTMLButtonElement>, "form" | "aria-pressed" | "aria-expanded"> {
  readonly icon?: IconName;
  readonly label: string;
  readonly onClick?: () => unknown;
  readonly kind?: "plain" | "main" | "danger" | "quiet";
  /** Shows only the icon. */
  readonly bare?: boolean;
  readonly submit?: boolean;
}

export const Button = (props: ButtonProps) => {
  const { icon, label, onClick, kind = "plain", bare = false, submit = false, ...more } = props;
  return (
    <button
      type={submit ? "submit" : "button"}
      class={`button ${kind}${bare ? " bare" : ""}`}
      {...(bare && { "aria-label": label, title: label })}
      onClick={() => void onClick?.()}
      {...more}
    >
      {icon !== undefined && <Icon name={icon} />}
      {!bare && <span>{label}</span>}
    </button>
  );
};

interface LinkProps {
  readonly href: string;
  readonly label: string;
  readonly icon?: IconName;
  /** The name of the file that the link downloads. */
  readonly download?: string;
  readonly newTab?: boolean;
}

/** A link that looks like a button. */
export const LinkButton = ({ href, label, icon, download, newTab }: LinkProps) => (
  <a
    class="button plain"
    href={href}
    {...(download !== undefined && { download })}
    {...(newTab === true && { target: "_blank", rel: "noreferrer" })}
  >
    {icon !== undefined && <Icon name={icon} />}
    <span>{label}</span>
  </a>
);

interface OpenButtonProps extends Omit<ButtonProps, "onClick" | "submit"> {
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button that opens the dialog that it contains. */
export function OpenButton({ children, ...button }: OpenButtonProps) {
  const open = useSignal(false);
  return (
    <>
      <Button {...button} onClick={() => set(open, true)} />
      {open.value && children(() => set(open, false))}
    </>
  );
}

export function CopyButton({
  value,
  label,
  bare = true,
}: {
  readonly value: string;
  readonly label: string;
  readonly bare?: boolean;
}) {
  const copied = useSignal(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      copied.value = true;
      setTimeout(() => set(copied, false), 1500);
    } catch {
      notify("failed", "The browser does not allow copying. Select the text instead.");
    }
  };
  return (
    <Button
      kind={bare ? "quiet" : "plain"}
      bare={bare}
      icon={copied.value ? "check" : "copy"}
      label={copied.value ? "Copied" : label}
      onClick={copy}
    />
  );
}

interface SecretProps {
  readonly value: string;
  readonly label: string;
  readonly hidden?: boolean;
}

/** A value to copy; a hidden one until someone shows it. */
export function Secret({ value, label, hidden = true }: SecretProps) {
  const shown = useSignal(!hidden);
  return (
    <span class="secret">
      <code class={shown.value ? "one-line grow" : "faint grow"} title={shown.value ? value : undefined}>
        {shown.value ? value : "••••••••••••"}
      </code>
      {hidden && (
        <Button
          kind="quiet"
          bare
          icon={shown.value ? "eyeOff" : "eye"}
          label={`${shown.value ? "Hide" : "Show"} ${label}`}
          onClick={() => set(shown, !shown.value)}
        />
      )}
      <CopyButton value={value} label={`Copy ${label}`} />
    </span>
  );
}

interface LabelledProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Shows the label only to screen readers. */
  readonly bare?: boolean | undefined;
}

/** A control with its label, and a hint below it. */
export const Labelled = ({
  label,
  hint,
  bare,
  children,
}: LabelledProps & { readonly children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children.
  <label class="field">
    <span class={bare === true ? "visually-hidden" : "field-label"}>{label}</span>
    {children}
    {hint !== undefined && <span class="faint small">{hint}</span>}
  </label>
);

interface FieldProps extends LabelledProps {
  readonly name?: string;
  readonly value?: string;
  readonly defaultValue?: string;
  readonly maxLength?: number;
  readonly required?: boolean;
  readonly autofocus?: boolean;
  readonly onInput?: (value: string) => void;
}

export const Field = ({ label, hint, onInput, ...input }: FieldProps) => (
  <Labelled label={label} hint={hint}>
    <input
      type="text"
      autocomplete="off"
      spellcheck={false}
      onInput={({ currentTarget }) => onInput?.(currentTarget.value)}
      {...input}
    />
  </Labelled>
);

interface NumberFieldProps extends LabelledProps {
  readonly name: string;
  readonly defaultValue?: number | "";
  readonly min?: number;
  /** Default: whole numbers. */
  readonly step?: number | "any";
  readonly required?: boolean;
}

/** A field for a number, 0 or more. */
export const NumberField = ({ label, hint, ...input }: NumberFieldProps) => (
  <Labelled label={label} hint={hint}>
    <input type="number" min={0} step={1} {...input} />
  </Labelled>
);

interface CheckProps {
  readonly label: string;
  readonly name?: string;
  readonly defaultChecked?: boolean;
  readonly checked?: boolean;
  readonly onChange?: (checked: boolean) => void;
}

export const Check = ({ label, onChange, ...input }: CheckProps) => (
  <label class="check row">
    <input type="checkbox" onChange={({ currentTarget }) => onChange?.(currentTarget.checked)} {...input} />
    <span>{label}</span>
  </label>
);

interface SelectProps<T extends string> extends LabelledProps {
  readonly name?: string;
  readonly value?: T;
  /** Values, each with its text where that is another one. */
  readonly options: readonly (T | readonly [value: T, text: string])[];
  readonly onChange?: (value: T) => void;
}

export function Select<T extends string>(props: SelectProps<T>) {
  const { name, value, options, onChange, ...labelled } = props;
  const choices = options.map((option) =>
    typeof option === "string" ? ([option, option] as const) : option,
  );
  return (
    <Labelled {...labelled}>
      <select
        class="select"
        {...(name !== undefined && { name })}
        {...(onChange !== undefined && value !== undefined && { value })}
        onChange={({ currentTarget }) => {
          const chosen = choices.find(([each]) => each === currentTarget.value);
          if (chosen !== undefined) onChange?.(chosen[0]);
        }}
      >
        {choices.map(([each, text]) => (
          <option key={each} value={each} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

export const SearchField = ({
  label,
  value,
  onInput,
}: {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}) => (
  <label class="search">
    <Icon name="search" />
    <span class="visually-hidden">{label}</span>
    <input
      type="search"
      placeholder={label}
      value={value}
      spellcheck={false}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  </label>
);
