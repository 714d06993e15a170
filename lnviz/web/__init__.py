"""The web app: the only folder that imports Streamlit."""
