/// What the page can do beyond reading: filter, open and close, copy, and keys. Everything is there without it.
enum PageScript {
    static let text = Markup.verbatim(
        """

        'use strict';
        (() => {
          const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
          const cards = all('.card');
          for (const element of all('.tools, .keys, [data-copy]')) element.hidden = false;

          const open = (isOpen) => { for (const card of cards) card.open = isOpen; };
          for (const button of all('[data-open]')) {
            button.addEventListener('click', () => open(button.dataset.open === 'all'));
          }

          const filter = document.getElementById('filter');
          const found = document.querySelector('.found');
          const texts = cards.map((card) => card.textContent.toLowerCase());
          const sift = () => {
            const words = filter.value.toLowerCase().split(/\\s+/).filter(Boolean);
            let count = 0;
            cards.forEach((card, index) => {
              const fits = words.every((word) => texts[index].includes(word));
              card.parentElement.hidden = !fits;
              if (fits) count += 1;
            });
            found.textContent = words.length ? count + ' of ' + cards.length + ' steps' : '';
          };
          if (filter) filter.addEventListener('input', sift);

          for (const button of all('[data-copy]')) {
            button.addEventListener('click', async () => {
              const source = button.parentElement.querySelector('pre');
              try {
                await navigator.clipboard.writeText(source.textContent);
                button.textContent = 'Copied';
              } catch {
                // Without leave to write to the clipboard the text is selected instead.
                const range = document.createRange();
                range.selectNodeContents(source);
                getSelection().removeAllRanges();
                getSelection().addRange(range);
                button.textContent = 'Selected';
              }
              setTimeout(() => { button.textContent = 'Copy'; }, 2000);
            });
          }

          // The same fingerprint is the same value.
          const mark = (event) => {
            const secret = event.target.closest ? event.target.closest('.secret') : null;
            const print = secret ? secret.dataset.print : undefined;
            for (const other of all('.secret.same')) other.classList.remove('same');
            if (!print || event.type === 'pointerout') return;
            for (const other of all('.secret')) if (other.dataset.print === print) other.classList.add('same');
          };
          document.addEventListener('pointerover', mark);
          document.addEventListener('pointerout', mark);

          // A link to something that is folded opens it.
          const reveal = () => {
            let element = document.getElementById(decodeURIComponent(location.hash.slice(1)));
            for (; element; element = element.parentElement) if (element.tagName === 'DETAILS') element.open = true;
          };
          addEventListener('hashchange', reveal);
          reveal();

          const step = (change) => {
            const shown = cards.filter((card) => !card.parentElement.hidden);
            const heads = shown.map((card) => card.querySelector('summary'));
            const place = heads.indexOf(document.activeElement);
            const next = heads[Math.min(heads.length - 1, Math.max(0, place + change))];
            if (next) next.focus();
          };
          document.addEventListener('keydown', (event) => {
            if (event.ctrlKey || event.metaKey || event.altKey) return;
            if (event.target.closest && event.target.closest('input')) {
              if (event.key === 'Escape') { filter.value = ''; sift(); filter.blur(); }
              return;
            }
            if (event.key === 'j') step(1);
            else if (event.key === 'k') step(-1);
            else if (event.key === 'e') open(!cards.every((card) => card.open));
            else if (event.key === '/' && filter) { event.preventDefault(); filter.focus(); }
          });

          // Paper has nothing to click on.
          const folded = new Set();
          addEventListener('beforeprint', () => {
            for (const part of all('.card, .how')) if (!part.open) { folded.add(part); part.open = true; }
          });
          addEventListener('afterprint', () => {
            for (const part of folded) part.open = false;
            folded.clear();
          });
        })();

        """)
}
