using System;
using System.Collections.Generic;

namespace Example.Text
{
    /// <summary>What the parser reads.</summary>
    public interface ISource
    {
        char Next();
    }

    public enum TokenKind { Word, Number }

    public record Token(TokenKind Kind, string Text);

    public delegate void OnToken(Token token);

    public struct Position
    {
        public int Line;

        public override string ToString() => Line.ToString();
    }

    /// <summary>
    /// Cuts a text into tokens.
    /// </summary>
    [Serializable]
    public sealed class Parser<T> : IDisposable where T : ISource
    {
        public const int Limit = 10, Least = 1;
        private static readonly string[] Names = { "a" };

        private readonly T source;

        public Parser(T source)
        {
            this.source = source;
        }

        public int Count { get; private set; }

        // Reads all tokens.
        [Obsolete("use ReadAsync")]
        public IEnumerable<Token> Read(int limit = 10)
        {
            bool Done(int n) => n >= limit;

            while (!Done(Count))
            {
                Count++;
                yield return new Token(TokenKind.Word, "");
            }
        }

        public void Dispose() { }

        private class State
        {
            internal void Reset() { }
        }
    }
}
